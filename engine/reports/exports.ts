import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { earlierDay, laterDay } from '../../domain/reports/daily.ts'
import {
  dailyResultTable,
  dailyTable,
  resultTable,
  type ExportedTest,
} from '../../domain/reports/export.ts'
import { orderHeader } from '../../domain/reports/export-orders.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import type { DayTotals, TestSummary } from '../../domain/reports/summary.ts'
import { access } from '../plans/access.ts'
import { activeSpans, pausedDays } from '../tests/active-spans.ts'
import { statusHistory, type StatusHistory } from '../tests/status-history.ts'
import { showsOrderType, untold } from './breakdowns.ts'
import type { EngineContext } from '../context.ts'
import { csvOf, csvParts } from './csv.ts'
import type { TestsTable } from '../db/schema.ts'
import { emptySummary } from './empty-summary.ts'
import { aboutText } from './exports-about.ts'
import { orderPages } from './exports-orders.ts'
import { zipParts } from './exports-zip.ts'
import type { FileAnswer } from '../http/route-answers.ts'
import { knownId, notFound, type Serve, type Caller } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

type Row = Pick<
  TestsTable,
  | 'goal'
  | 'weights'
  | 'minimum_effect'
  | 'planned_visitors'
  | 'title'
  | 'control_title'
  | 'variant_title'
  | 'hypothesis_description'
  | 'status'
> & {
  is_imported: boolean
  not_in_file: ImportFact[]
  weights: [number, number]
  start_at: Date | null
  ends_at: Date | null
  ended_at: Date | null
  store: string
  time_zone: string
  currency: string
  summary: TestSummary | null
  days: DayTotals[] | null
  history: StatusHistory
}

/**
 * Serves a test's figures as files. They are made while the client reads them: nothing is stored,
 * and the reading stops when the client disconnects.
 */
export function exports(serve: Serve, { db, clock }: EngineContext): void {
  serve('exportTest', async ({ params: { id } }, { storeId }) => {
    const { row, test } = await load(storeId, id)
    return csvFile(row, 'results', csvOf([resultTable(test), dailyResultTable(test)]))
  })

  serve('exportOrders', async ({ params: { id } }, caller) => {
    const { row, test } = await load(caller.storeId, id)
    return csvFile(row, 'orders', await ordersCsv(caller, id, row, test))
  })

  serve('exportZip', async ({ params: { id } }, { storeId, shop }) => {
    const { row, test } = await load(storeId, id)
    const at = clock()
    const texts: [name: string, parts: AsyncIterable<string>][] = [
      ['results.csv', csvOf([resultTable(test)])],
      ['daily.csv', csvOf([dailyTable(test)])],
      ['orders.csv', await ordersCsv({ storeId, shop }, id, row, test)],
      [
        'about.txt',
        once(
          aboutText({
            title: row.title,
            store: row.store,
            hypothesis: row.hypothesis_description,
            startAt: row.start_at,
            endedAt: row.ended_at,
            timeZone: row.time_zone,
            madeAt: at,
            showsTypes: showsOrderType((await access({ db }, storeId)).can),
            ...test,
          }),
        ),
      ],
    ]
    return {
      type: 'application/zip',
      name: fileName(row, 'export', 'zip'),
      body: Readable.from(zipParts(texts.map(([name, parts]) => ({ name, at, parts })))),
    }
  })

  async function load(storeId: string, id: string): Promise<{ row: Row; test: ExportedTest }> {
    const {
      rows: [row],
    } = await sql<Row>`
      select t.goal, t.is_imported, t.not_in_file, t.weights, t.minimum_effect, t.planned_visitors, t.title, t.control_title, t.variant_title, t.hypothesis_description, t.status, t.start_at, t.ends_at, t.ended_at,
        st.name as store, st.time_zone, st.currency, s.summary, s.days,
        ${statusHistory} as history
      from tests t join stores st on st.store_id = t.store_id
      left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
      where t.store_id = ${storeId} and t.test_id = ${knownId(id, 'test')}`.execute(db.kysely)
    if (!row) throw notFound('test')
    const now = clock(),
      days = row.days ?? []
    const started = row.start_at?.getTime(),
      until = (row.ended_at ?? now).getTime()
    const day = (at: number) => dayIn(row.time_zone, at)
    return {
      row,
      test: {
        goal: row.goal,
        isImported: row.is_imported,
        status: row.status,
        titles: [row.control_title, row.variant_title],
        currency: row.currency,
        summary: row.summary ?? emptySummary(row, now),
        days,
        // A clock that is slightly wrong may put a visitor on the day before or after. A test that
        // never started has no days.
        from: started === undefined ? '1' : earlierDay(day(started), days[0]?.day),
        to: started === undefined ? '0' : laterDay(day(until), days.at(-1)?.day),
        paused:
          started === undefined
            ? new Map()
            : pausedDays(activeSpans(row.history ?? []), row.time_zone, started, until),
      },
    }
  }

  async function ordersCsv(
    { storeId, shop }: Caller,
    testId: string,
    { start_at: from, ended_at: to, time_zone: timeZone, not_in_file: notInFile }: Row,
    { currency, titles }: ExportedTest,
  ): Promise<AsyncGenerator<string>> {
    const { can } = await access({ db }, storeId)
    const hidden = {
      ...untold(can, notInFile),
      ...(!showsOrderType(can) && { type: null }),
    }
    return csvParts(
      orderHeader,
      from
        ? orderPages(db, { storeId, shop, testId, from, to, timeZone, currency, titles, hidden })
        : [],
    )
  }

  const csvFile = (row: Row, what: string, parts: AsyncIterable<string>): FileAnswer => ({
    type: 'text/csv; charset=utf-8',
    name: fileName(row, what, 'csv'),
    body: Readable.from(parts),
  })
  const fileName = (row: Row, what: string, ending: string): string => {
    const title = row.title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-|-$/g, '')
    return `${['twinshelf', title, what, dayIn(row.time_zone, clock().getTime())].filter(Boolean).join('-')}.${ending}`
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}
