import { createHash, randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { ArmIndex } from '../../domain/arm.ts'
import type { DeviceIndex } from '../../domain/device.ts'
import { factsIn, type ImportFact, importFacts } from '../../domain/imports/import-facts.ts'
import {
  type ImportColumn,
  type ImportEvent,
  importEvents,
  type ImportProblem,
  type ImportReading,
  type ImportRow,
  isImportProblem,
  readImportHeader,
  readImportRow,
} from '../../domain/imports/import-row.ts'
import { notCsv } from '../../domain/csv.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Schema } from '../db/schema.ts'
import { rows as query, run } from '../db/raw.ts'
import { takeOutBad } from './imports-bad-rows.ts'
import { Problems, refused } from './imports-problems.ts'

/** The temporary table for the rows of a file. `batch`: how many rows are written at a time. */
export type Stage = { one: Kysely<Schema>; table: string; batch: number }
/**
 * Sums of the good rows; instants in milliseconds. `hash`: of the whole file. `told`: the facts
 * about visitors that at least one row gives.
 */
export type Staged = {
  rows: number
  visitors: number
  first: number
  last: number
  hash: string
  told: ReadonlySet<ImportFact>
  problems: ImportProblem[]
  problemCount: number
}
export type Progress = (read: number) => void

const pageRows = 5_000
/**
 * Maximum length of a row, in characters. A quote that is not closed would make the rest of the
 * file one row.
 */
const longestRow = 100_000

/** Names a table that only the session of `one` sees and that ends with the session. */
export const newStage = (one: Kysely<Schema>, batch: number): Stage => ({
  one,
  batch,
  table: `import_rows_${randomUUID().replaceAll('-', '')}`,
})

/**
 * Reads the file into a temporary table, so that we can take all rows of a visitor together and in
 * order, however long the file is. Throws HttpProblem 400 when the file is no table of rows. Single
 * bad rows are returned as problems.
 */
export async function stage(
  rows: Stage,
  source: Readable,
  reading: ImportReading,
  onProgress: Progress,
): Promise<Staged> {
  const { one, table, batch } = rows
  await sql`create temp table ${sql.table(table)} (line int not null, visitor text not null, arm smallint not null, at float8 not null, event smallint not null, value bigint not null, order_ref text not null,
    product text not null, quantity int not null, device smallint not null, landing text not null, referrer text not null, country text not null)`.execute(
    one,
  )
  const hash = createHash('sha256'),
    problems = new Problems(),
    told = new Set<ImportFact>()
  source.on('data', (part: Buffer | string) => hash.update(part))
  const parser = source.pipe(
    parse({
      bom: true,
      relax_column_count: true,
      info: true,
      skip_empty_lines: true,
      max_record_size: longestRow,
    }),
  )
  source.once('error', error => parser.destroy(error))
  let columns: Map<ImportColumn, number> | undefined,
    waiting: { line: number; row: ImportRow }[] = [],
    read = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      if (!columns) {
        const header = readImportHeader(record)
        if (typeof header === 'string') throw refused([{ line: 1, column: null, message: header }])
        columns = header
        continue
      }
      read++
      const row = readImportRow(record, info.lines, columns, reading)
      if (isImportProblem(row)) problems.add(row)
      else {
        waiting.push({ line: info.lines, row })
        if (told.size < importFacts.length)
          for (const fact of factsIn(record, columns)) told.add(fact)
      }
      if (waiting.length >= batch) {
        await keep(rows, waiting)
        waiting = []
        onProgress(read)
        await nextTurn()
      }
    }
  } catch (error) {
    if (error instanceof HttpProblem) throw error
    const {
      lines,
      records = 0,
      code,
    } = error as { lines?: number; records?: number; code?: string }
    if (!code?.startsWith('CSV_')) throw error
    // `lines` is where the parser stopped. The bad row comes after the last row that it read.
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw refused([
        {
          line: records + 1,
          column: null,
          message: `This row is longer than ${longestRow.toLocaleString('en')} characters: perhaps a quote is not closed.`,
        },
      ])
    throw refused([
      {
        line: lines ?? 1,
        column: null,
        message: notCsv,
      },
    ])
  }
  if (!columns) throw refused([{ line: 1, column: null, message: 'The file is empty.' }])
  if (waiting.length > 0) await keep(rows, waiting)
  await sql`create index on ${sql.table(table)} (visitor, at, line)`.execute(one)
  await sql`analyze ${sql.table(table)}`.execute(one)
  for await (const problem of takeOutBad(rows)) problems.add(problem)
  const [sums] = await query<{
    rows: number
    visitors: number
    first: number | null
    last: number | null
  }>(
    one,
    `
    select count(*)::int as rows, count(distinct visitor)::int as visitors, min(at) as first, max(at) as last from ${table}`,
    [],
  )
  return {
    ...sums!,
    first: sums!.first ?? 0,
    last: sums!.last ?? 0,
    hash: hash.digest('hex'),
    told,
    problems: problems.first,
    problemCount: problems.count,
  }
}

export const unstage = ({ one, table }: Stage) =>
  sql`drop table if exists ${sql.table(table)}`.execute(one)

async function keep(
  { one, table }: Stage,
  rows: { line: number; row: ImportRow }[],
): Promise<void> {
  const column = <T>(of: (row: ImportRow) => T): T[] => rows.map(({ row }) => of(row))
  await run(
    one,
    `
    insert into ${table} select * from unnest($1::int[], $2::text[], $3::smallint[], $4::float8[], $5::smallint[], $6::bigint[], $7::text[], $8::text[], $9::int[], $10::smallint[], $11::text[], $12::text[], $13::text[])`,
    [
      rows.map(({ line }) => line),
      column(r => r.visitor),
      column(r => r.arm),
      column(r => r.at),
      column(r => importEvents.indexOf(r.event)),
      column(r => r.value),
      column(r => r.order),
      column(r => r.product),
      column(r => r.quantity),
      column(r => r.device),
      column(r => r.landing),
      column(r => r.referrer),
      column(r => r.country),
    ],
  )
}

type StoredRow = {
  line: number
  visitor: string
  arm: ArmIndex
  at: number
  event: number
  value: number
  order_ref: string
  product: string
  quantity: number
  device: DeviceIndex
  landing: string
  referrer: string
  country: string
}

/** Yields the staged rows, all rows of one visitor at a time, in the order of their time. */
export async function* stagedVisitors({ one, table }: Stage): AsyncGenerator<ImportRow[]> {
  let own: ImportRow[] = []
  for (let last = { visitor: '', at: -Infinity, line: 0 }; ;) {
    const page = await query<StoredRow>(
      one,
      `
      select * from ${table} where (visitor, at, line) > ($1, $2::float8, $3) order by visitor, at, line limit ${pageRows}`,
      [last.visitor, last.at, last.line],
    )
    for (const stored of page) {
      const { order_ref, event, line: _, ...row } = stored
      if (own.length > 0 && own[0]!.visitor !== row.visitor) {
        yield own
        own = []
      }
      own.push({ ...row, order: order_ref, event: importEvents[event] as ImportEvent })
    }
    if (page.length < pageRows) break
    last = page.at(-1)!
  }
  if (own.length > 0) yield own
}
