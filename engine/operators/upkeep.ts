import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { rebuild as rebuildAll } from '../events/rebuild.ts'
import { areNone, type Differences, findDifferences, repair } from '../events/rebuild-aside.ts'
import { isId } from '../http/routes.ts'
import { recountOrders } from '../orders/order-recount.ts'
import { resumeAtLimit } from '../tests/limit-holds.ts'
import { reconciliation } from './reconciliation.ts'
import { holdTests, limitTrouble } from '../tests/test-checks.ts'
import type { JobHandler, JobRun } from '../jobs/jobs.ts'

/** Jobs that check a store regularly, and the rebuild that staff ask for. */
export function upkeep(context: EngineContext): void {
  context.jobs.on('limitCheck', limitCheck(context))
  context.jobs.on('rollupRepair', rollupRepair(context))
  context.jobs.on('rebuild', rebuild(context))
  context.jobs.on('reconciliation', reconciliation(context))
}

/**
 * Puts a store's tests on hold once its visitors of this cycle have reached the plan's limit, and
 * resumes them once there is room again.
 */
const limitCheck =
  (context: EngineContext): JobHandler =>
  async run => {
    const trouble = await limitTrouble(context, run.storeId)
    if (trouble) await holdTests(context, run.storeId, trouble)
    else await resumeAtLimit(context, run)
  }

/**
 * PGlite has one connection, so all requests wait while the events are read. With this many events
 * that takes about ten seconds.
 */
const maxAtOnce = 200_000

/** Compares a store's figures with its events and orders, and corrects figures that differ. */
const rollupRepair =
  ({ db, log, clock }: EngineContext): JobHandler =>
  async ({ storeId, progress, checkpoint, state, signal }) => {
    const store = await db.kysely
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .where('status', '=', 'installed')
      .executeTakeFirst()
    if (!store) return
    const ofOrders = await recountOrders(db, storeId, clock())
    // This should not happen. An error in the log makes someone find the cause.
    if (ofOrders.length > 0)
      log.error({ storeId, tests: ofOrders }, 'sums of orders were wrong and were made again')
    if (db.pglite && (await hasMore(db, storeId, maxAtOnce)))
      return progress(
        1,
        'Not checked: this database cannot read so many events without making everyone wait',
      )
    const found =
      (state['found'] as Differences | undefined) ?? (await findDifferences(db, store.shop))
    if (areNone(found)) return progress(1, 'All figures match the events')
    signal.throwIfAborted()
    await checkpoint({ found })
    await progress(0.5, 'Counting figures again that differ from the events')
    const repaired = await repair(db, store.shop)
    // This should not happen. An error in the log makes someone find the cause.
    log.error({ storeId, ...repaired }, 'aggregates differed from their events and were made again')
    await progress(
      1,
      `${repaired.tests.length === 1 ? 'One test was' : `${repaired.tests.length} tests were`} counted again`,
    )
  }

const hasMore = async (db: Db, storeId: string, events: number): Promise<boolean> =>
  (
    await sql`select from events where store_id = ${storeId} offset ${events} limit 1`.execute(
      db.kysely,
    )
  ).rows.length > 0

/**
 * Computes the aggregates of one test (payload `testId`) again from its events; without `testId`,
 * those of all tests of the store.
 */
const rebuild =
  ({ db }: EngineContext): JobHandler =>
  async run => {
    const { storeId, payload, progress } = run
    if (payload['testId'] === undefined) return rebuildStore(db, run)
    const testId = String(payload['testId'])
    const test =
      isId(testId) &&
      (await db.kysely
        .selectFrom('tests')
        .innerJoin('stores', 'stores.store_id', 'tests.store_id')
        .select(['tests.title', 'stores.shop'])
        .where('tests.store_id', '=', storeId)
        .where('tests.test_id', '=', testId)
        .executeTakeFirst())
    if (!test) throw new HttpProblem(404, 'There is no such test.')
    await progress(0.1, `Counting “${test.title}” again`)
    const { tests } = await repair(db, test.shop, [testId])
    if (tests.length === 0)
      return progress(
        1,
        `“${test.title}” stays as it was counted: events of its first days are no longer kept`,
      )
    await progress(1, `“${test.title}” was counted again`)
  }

async function rebuildStore(db: Db, { storeId, progress }: JobRun): Promise<void> {
  const store = await db.kysely
    .selectFrom('stores')
    .select('shop')
    .where('store_id', '=', storeId)
    .where('status', '=', 'installed')
    .executeTakeFirst()
  if (!store) throw new HttpProblem(409, 'The store is uninstalled, so its figures stay.')
  await progress(0.1, 'Counting all figures of the store again')
  const { counted, kept } = await rebuildAll(db, store.shop)
  await progress(
    1,
    `${counted === 1 ? 'One test was' : `${counted} tests were`} counted again${kept === 0 ? '' : `. ${kept === 1 ? 'One test stays' : `${kept} tests stay`} as counted: events of the first days are no longer kept`}`,
  )
}
