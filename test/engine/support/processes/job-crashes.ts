import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { JobKind } from '../../../../domain/jobs/job.ts'
import type { Engine } from '../../../../engine/app.ts'
import { findDifferences } from '../../../../engine/events/rebuild-aside.ts'
import { seedStore, seedTest } from '../seeds.ts'
import { beacon, collect, event, visitorIn } from '../traffic.ts'

type Crash = {
  kind: JobKind
  /** Makes a new store with the data of the job. Returns the store's id and the job's payload. */
  seed: (
    engine: Engine,
    shopOrigin: string,
  ) => Promise<{ storeId: string; payload: Record<string, unknown> }>
  /** Parts of the statements before which the engine is killed, one run of the engine for each. */
  kills: string[]
  outcome: (engine: Engine, storeId: string) => Promise<unknown>
  expected: unknown
}

const day = 86_400_000
/** In the middle of a change of status. */
const atStatus = 'insert into "test_history"'
/** The first statement that ends a job: the work is done but not yet recorded. */
const atTheEnd = 'select "rerun_at" from "jobs"'
/** In the middle of a repair of figures. */
const atFigures = 'delete from "public"."test_days"'
const statuses = async ({ db }: Engine, storeId: string) =>
  (
    await db.kysely
      .selectFrom('test_history')
      .select('status')
      .where('store_id', '=', storeId)
      .orderBy('seq')
      .execute()
  ).map(row => row.status)

/** A shop with a running test that five visitors have met. */
async function visitedShop(kind: JobKind, { app, db }: Engine, origin: string) {
  const shop = `${kind.toLowerCase()}.demo-shop.test`
  const storeId = await seedStore(db, { shop, domain: shop, origin })
  const testId = await seedTest(db, storeId, { start_at: new Date(Date.now() - day) })
  for (let n = 0; n < 5; n++) {
    const visitor = visitorIn(testId, 0, `${kind}-${n}`),
      now = Date.now()
    const events = [event('exposure', now, [testId]), event('view', now)].map(each => ({
      ...each,
      id: randomUUID(),
    }))
    const { statusCode } = await collect(
      app,
      beacon(visitor, { [testId]: [0, 7] }, events, { shop, sent: now }),
      { origin },
    )
    if (statusCode !== 204) throw new Error(`The beacon was answered ${statusCode}.`)
  }
  return { storeId, testId, shop }
}
const exposed = async ({ db }: Engine, storeId: string) =>
  (
    await sql<{
      n: number
    }>`select sum(exposed)::int as n from test_arms where store_id = ${storeId}`.execute(db.kysely)
  ).rows[0]!.n

/**
 * The kinds of jobs that are killed: one row each. Uninstall and screenshots have their own test
 * files.
 */
export const crashes: Record<string, Crash> = {
  scheduledStart: {
    kind: 'scheduledStart',
    kills: [atTheEnd],
    seed: async ({ db }, origin) => {
      const storeId = await seedStore(db, {
        shop: 'start.demo-shop.test',
        origin,
        feature_flags: '["DomTesting"]',
      })
      const testId = await seedTest(db, storeId, {
        status: 'Scheduled',
        start_at: null,
        launch_at: new Date(Date.now() - 1_000),
      })
      await db.kysely
        .updateTable('test_history')
        .set({ status: 'Scheduled' })
        .where('test_id', '=', testId)
        .execute()
      return { storeId, payload: { testId } }
    },
    outcome: statuses,
    expected: ['Scheduled', 'Active'],
  },
  scheduledEnd: {
    kind: 'scheduledEnd',
    kills: [atStatus, atTheEnd],
    seed: async ({ db }, origin) => {
      const storeId = await seedStore(db, { shop: 'end.demo-shop.test', origin })
      return {
        storeId,
        payload: {
          testId: await seedTest(db, storeId, {
            automatically_end_at: new Date(Date.now() - 1_000),
          }),
        },
      }
    },
    outcome: statuses,
    expected: ['Active', 'Ended'],
  },
  testCheck: {
    kind: 'testCheck',
    kills: [atStatus],
    seed: async ({ db }, origin) => {
      const storeId = await seedStore(db, { shop: 'check.demo-shop.test', origin })
      await seedTest(db, storeId, {
        kind: 'UrlRedirect',
        control_url: '/products/mug',
        redirect_url: '/pages/gone',
      })
      return { storeId, payload: {} }
    },
    outcome: statuses,
    expected: ['Active', 'OnHold'],
  },
  limitCheck: {
    kind: 'limitCheck',
    kills: [atTheEnd],
    seed: async (engine, origin) => {
      const { storeId } = await visitedShop('limitCheck', engine, origin)
      await sql`update store_periods set visitors = 100000 where store_id = ${storeId}`.execute(
        engine.db.kysely,
      )
      return { storeId, payload: {} }
    },
    outcome: statuses,
    expected: ['Active', 'OnHold'],
  },
  rollupRepair: {
    kind: 'rollupRepair',
    kills: [atFigures],
    seed: async (engine, origin) => {
      const { storeId } = await visitedShop('rollupRepair', engine, origin)
      await sql`update test_arms set exposed = 99 where store_id = ${storeId}`.execute(
        engine.db.kysely,
      )
      return { storeId, payload: {} }
    },
    outcome: async (engine, storeId) => [
      await exposed(engine, storeId),
      await findDifferences(engine.db, 'rolluprepair.demo-shop.test'),
    ],
    expected: [5, { tests: [], sessions: false }],
  },
  rebuild: {
    kind: 'rebuild',
    kills: [atFigures, atTheEnd],
    seed: async (engine, origin) => {
      const { storeId, testId } = await visitedShop('rebuild', engine, origin)
      await sql`update test_arms set exposed = 99 where store_id = ${storeId}`.execute(
        engine.db.kysely,
      )
      return { storeId, payload: { testId } }
    },
    outcome: exposed,
    expected: 5,
  },
}
