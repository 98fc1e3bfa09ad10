import { sql, type Selectable } from 'kysely'
import type { Test, TestEvent, TestUpdate } from '../domain/ab-test.ts'
import { HttpProblem } from '../domain/problem.ts'
import { canMove, refusedMove, type TestStatus } from '../domain/test-status.ts'
import type { TestSummary } from '../domain/summary.ts'
import type { EngineContext } from './context.ts'
import type { TestsTable } from './db/schema.ts'
import { shopHosts } from './drafts.ts'
import { emptySummary } from './empty-summary.ts'
import type { Previews } from './previews.ts'
import { knownId, notFound, type Serve } from './routes.ts'
import { changeStatus } from './test-statuses.ts'

type Row = Selectable<TestsTable>

// What the collector writes has no foreign keys (0002-events.ts): it does not go with the test by itself.
const withoutForeignKey = ['test_visitors', 'test_days', 'test_arms', 'test_cube', 'test_changes']

export function abTests(serve: Serve, context: EngineContext, previews: Previews): void {
  const { db, clock, publisher } = context

  serve('test', ({ params: { id } }, { storeId }) => answer(storeId, knownId(id, 'test')))

  serve('updateTest', async ({ params: { id }, body: { status, ...titles } }, { storeId }) => {
    const testId = knownId(id, 'test')
    if (titles.title !== undefined && !titles.title.trim()) throw new HttpProblem(400, 'Give the test a name.', [{ field: 'title', message: 'Give the test a name.' }])
    const isPublished = await db.kysely.transaction().execute(async trx => {
      const test = await trx.selectFrom('tests').selectAll().where('store_id', '=', storeId).where('test_id', '=', testId).forUpdate().executeTakeFirst()
      if (!test) throw notFound('test')
      const now = clock()
      const modified = titleChanges(test, titles)
      if (modified.detail) {
        await trx.updateTable('tests').set({ ...modified.columns, updated_at: now }).where('store_id', '=', storeId).where('test_id', '=', testId).execute()
        await trx.insertInto('test_events').values({ store_id: storeId, test_id: testId, kind: 'Modified', at: now, detail: modified.detail, value: null, mark: null }).execute()
      }
      if (status === undefined) return false
      if (!canMove('merchant', test.status, status)) throw new HttpProblem(409, refusedMove(test.status, status))
      await changeStatus(trx, test, status, now)
      // The set of running tests has changed.
      if (test.status !== 'Active' && status !== 'Active') return false
      await publisher.request(trx, storeId)
      return true
    })
    if (isPublished) await publisher.publish(storeId)
    return answer(storeId, testId)
  })

  serve('deleteTest', async ({ params: { id } }, { storeId }) => {
    const testId = knownId(id, 'test')
    const isDeleted = await db.kysely.transaction().execute(async trx => {
      const { numDeletedRows } = await trx.deleteFrom('tests').where('store_id', '=', storeId).where('test_id', '=', testId).where('status', '!=', 'Active').executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) return false
      for (const table of withoutForeignKey) await sql`delete from ${sql.table(table)} where store_id = ${storeId} and test_id = ${testId}`.execute(trx)
      return true
    })
    if (!isDeleted) {
      if (await testStatus(storeId, testId)) throw new HttpProblem(409, 'This test is running. End it first, then delete it.')
      throw notFound('test')
    }
    return { ok: true as const }
  })

  const testStatus = async (storeId: string, testId: string): Promise<TestStatus | undefined> =>
    (await db.kysely.selectFrom('tests').select('status').where('store_id', '=', storeId).where('test_id', '=', testId).executeTakeFirst())?.status

  /** One query for the whole report's head: the row, its two histories, its stored result and the shop's hosts. */
  async function answer(storeId: string, testId: string): Promise<Test> {
    const row = await db.kysely.selectFrom('tests as t').leftJoin('test_summaries as s', join => join.onRef('s.store_id', '=', 't.store_id').onRef('s.test_id', '=', 't.test_id'))
      .selectAll('t').select(['s.summary',
        sql<Test['statusHistory'] | null>`(select json_agg(json_build_object('status', h.status, 'appliedOn', h.applied_on) order by h.seq)
          from test_history h where h.store_id = t.store_id and h.test_id = t.test_id)`.as('history'),
        sql<TestEvent[] | null>`(select json_agg(json_build_object('kind', e.kind, 'at', e.at, 'detail', e.detail, 'value', e.value) order by e.at, e.seq)
          from test_events e where e.store_id = t.store_id and e.test_id = t.test_id)`.as('events')])
      .where('t.store_id', '=', storeId).where('t.test_id', '=', testId).executeTakeFirst()
    if (!row) throw notFound('test')
    const hosts = await shopHosts(db.kysely, storeId)
    return testContent(row, row.summary ?? emptySummary(row, clock()), row.history ?? [], row.events ?? [], await previews.urls({ storeId, of: 'test', id: testId, hosts, pages: row.pages }))
  }
}

function titleChanges(test: Row, { title, hypothesisDescription, controlTitle, variantTitle }: Omit<TestUpdate, 'status'>) {
  const wanted = { title, hypothesis_description: hypothesisDescription, control_title: controlTitle, variant_title: variantTitle }
  const columns = Object.fromEntries(Object.entries(wanted).filter(([column, value]) => value !== undefined && value !== test[column as keyof typeof wanted]))
  const names = { title: 'Name', hypothesis_description: 'Hypothesis', control_title: 'Control’s title', variant_title: 'Variant’s title' }
  const detail = Object.keys(columns).map(column => names[column as keyof typeof names]).join(', ')
  return { columns, detail: detail && `${detail} changed` }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null
/** json_build_object writes an instant in the database's own form. */
const isoText = (at: string): string => new Date(at).toISOString()

type BaseRow = Pick<Row, 'test_id' | 'kind' | 'title' | 'status' | 'goal' | 'weights' | 'pages' | 'created_at' | 'updated_at' | 'start_at' | 'ends_at' | 'ended_at' | 'applied_at' | 'is_demo'>
/** What list and report say alike. */
export function testBase(row: BaseRow) {
  return {
    id: row.test_id, kind: row.kind, title: row.title, status: row.status, goal: row.goal, weights: row.weights, pages: row.pages,
    createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString(), startAt: iso(row.start_at),
    endsAt: iso(row.ends_at), endedAt: iso(row.ended_at), appliedAt: iso(row.applied_at), isDemo: row.is_demo,
  }
}

function testContent(row: Row, summary: TestSummary, history: Test['statusHistory'], events: TestEvent[], previewUrls: Test['previewUrls']): Test {
  return {
    ...testBase(row),
    hypothesisDescription: row.hypothesis_description, controlTitle: row.control_title, variantTitle: row.variant_title,
    statusHistory: history.map(h => ({ ...h, appliedOn: isoText(h.appliedOn) })), events: events.map(e => ({ ...e, at: isoText(e.at) })),
    hypotheses: [{ id: row.control_hypothesis_id, arm: 'control' }, { id: row.variant_hypothesis_id, arm: 'variant' }],
    domSelectors: row.dom_selectors, controlUrl: row.control_url, redirectUrl: row.redirect_url, minimumEffect: row.minimum_effect,
    plannedVisitors: row.planned_visitors, estimatedCompletionDate: summary.estimatedCompletionDate,
    launchAt: iso(row.launch_at), automaticallyEndAt: iso(row.automatically_end_at), previewUrls, summary,
  }
}
