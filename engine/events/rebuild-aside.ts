import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { keptFrom, wholeFrom } from './event-days.ts'
import { type CollectingStore, loadStore } from './event-stores.ts'
import { withStoreLockAtLast } from './store-lock.ts'
import { replay } from './replay.ts'
import { settledTests } from '../tests/settled.ts'
import type { Trx } from '../db/types.ts'

/*
 * After old days were dropped (event-days.ts), the events of older tests are incomplete. So tests
 * that began before the first instant whose events are all kept (`wholeFrom`) are neither compared
 * nor rebuilt.
 */

/**
 * The tables of a test's aggregates, each with the condition for rows to compare: a count that went
 * up and down again leaves a row of zeros, which says nothing.
 */
const ofTests = {
  test_visitors: sql<boolean>`true`,
  test_days: sql<boolean>`visitors <> 0 or sessions <> 0`,
  test_cube: sql<boolean>`visitors <> 0 or sessions <> 0`,
  test_arms: sql<boolean>`assigned + applied + exposed + recorded + bots + both_arms + set_aside + aside <> 0`,
  test_speed: sql<boolean>`true`,
  test_visitor_products: sql<boolean>`true`,
  test_product_visitors: sql<boolean>`viewers <> 0 or adders <> 0`,
}
/**
 * Other tables that a replay writes. A store's periods are never compared: a cycle is named by the
 * subscription at that time, and the subscription may have changed since.
 */
const besides = [
  'visitor_sessions',
  'store_visitors',
  'store_periods',
  'test_changes',
  'order_marks',
]

/**
 * Aggregates that differ from their events: the ids of the tests, and whether sessions differ.
 * Visitors' sessions belong to the store, not to a test.
 */
export type Differences = { tests: string[]; sessions: boolean }
export const areNone = ({ tests, sessions }: Differences): boolean =>
  tests.length === 0 && !sessions

/**
 * Compares a store's aggregates with aggregates rebuilt from its events, all as of one moment. It
 * changes nothing, and new events do not wait for it. Returns no differences if the shop is not
 * installed.
 */
export async function findDifferences(db: Db, shop: string): Promise<Differences> {
  return db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async trx => {
      const store = await loadStore({ kysely: trx }, shop)
      return store
        ? compare(trx, store.id, await makeAside(trx, store), await whole(trx, store))
        : { tests: [], sessions: false }
    })
}

/**
 * Replaces the aggregates of these tests by aggregates rebuilt from their events; without
 * `testIds`, of all tests that differ. Also replaces sessions if they differ. The store's new
 * events wait meanwhile. Returns what was replaced.
 */
export async function repair(db: Db, shop: string, testIds?: string[]): Promise<Differences> {
  const found = await loadStore(db, shop)
  if (!found) return { tests: [], sessions: false }
  return withStoreLockAtLast(db, found.id, async trx => {
    // Read the store again: while we waited for the lock, a test may have been launched and its
    // events stored, or the app uninstalled.
    const store = await loadStore({ kysely: trx }, shop)
    if (!store) return { tests: [], sessions: false }
    const schema = await makeAside(trx, store),
      there = await whole(trx, store)
    const wrong = await compare(trx, store.id, schema, there)
    const tests = testIds?.filter(id => there.tests.has(id)) ?? wrong.tests
    await takeOver(trx, store.id, schema, { ...wrong, tests }, there)
    return { ...wrong, tests }
  })
}

/**
 * Replaces the sessions and the aggregates of all tests whose events are all kept. The caller must
 * hold the store's lock. Returns the number of these tests.
 */
export async function remake(trx: Trx, store: CollectingStore): Promise<number> {
  const schema = await makeAside(trx, store),
    there = await whole(trx, store)
  await takeOver(trx, store.id, schema, { tests: [...there.tests], sessions: true }, there)
  return there.tests.size
}

/**
 * The tests whose events are all kept (none dropped with an old day, none erased), and the instant
 * from which all events are kept; null if no day was dropped.
 */
type Whole = { tests: Set<string>; from: Date | null }

export async function whole(trx: Trx, store: CollectingStore): Promise<Whole> {
  const kept = await keptFrom({ kysely: trx }),
    settled = await settledTests(trx, store.id)
  if (!kept)
    return { tests: new Set([...store.tests.keys()].filter(id => !settled.has(id))), from: null }
  const from = wholeFrom(kept)
  return {
    tests: new Set(
      [...store.tests.values()]
        .filter(({ id, startAt }) => startAt >= from.getTime() && !settled.has(id))
        .map(({ id }) => id),
    ),
    from,
  }
}

/**
 * Rebuilds the aggregates in temporary tables of this transaction. They have the names of the
 * stored tables and hide them. Returns the schema of the stored tables.
 */
async function makeAside(trx: Trx, store: CollectingStore): Promise<string> {
  const {
    rows: [row],
  } = await sql<{ schema: string }>`select current_schema() as schema`.execute(trx)
  const { schema } = row!
  for (const table of [...Object.keys(ofTests), ...besides])
    await sql`create temp table ${sql.id(table)} (like ${sql.id(schema, table)} including all) on commit drop`.execute(
      trx,
    )
  await replay(trx, store)
  return schema
}

async function compare(
  trx: Trx,
  storeId: string,
  schema: string,
  there: Whole,
): Promise<Differences> {
  const tests = new Set<string>()
  for (const [table, counts] of Object.entries(ofTests)) {
    const made = sql`select * from pg_temp.${sql.id(table)} where ${counts}`
    const kept = sql`select * from ${sql.id(schema, table)} where store_id = ${storeId} and (${counts})`
    const { rows } = await sql<{ test_id: string }>`
      select distinct d.test_id from ((${made} except ${kept}) union all (${kept} except ${made})) d
      join tests t on t.store_id = ${storeId} and t.test_id = d.test_id`.execute(trx)
    for (const { test_id } of rows) if (there.tests.has(test_id)) tests.add(test_id)
  }
  // Compares whole sessions, not their parts: sessions stored before a test was deleted are also
  // split at that test's pauses.
  const whole = sql`visitor_id, session_id, min(first_at) as first_at, max(last_at), sum(views)`,
    each = sql`group by visitor_id, session_id`
  const made = sql`select * from (select ${whole} from pg_temp.visitor_sessions ${each}) s where ${areWhole(there)}`,
    kept = sql`select * from (select ${whole} from ${sql.id(schema, 'visitor_sessions')} where store_id = ${storeId} ${each}) s where ${areWhole(there)}`
  const {
    rows: [row],
  } = await sql<{
    differ: boolean
  }>`select exists ((${made} except ${kept}) union all (${kept} except ${made})) as differ`.execute(
    trx,
  )
  return { tests: [...tests].sort(), sessions: row!.differ }
}

const areWhole = ({ from }: Whole) =>
  from ? sql<boolean>`first_at >= ${from}` : sql<boolean>`true`

async function takeOver(
  trx: Trx,
  storeId: string,
  schema: string,
  { tests, sessions }: Differences,
  there: Whole,
): Promise<void> {
  for (const table of Object.keys(ofTests)) {
    await sql`delete from ${sql.id(schema, table)} where store_id = ${storeId} and test_id = any(${tests}::uuid[])`.execute(
      trx,
    )
    await sql`insert into ${sql.id(schema, table)} select * from pg_temp.${sql.id(table)} where test_id = any(${tests}::uuid[])`.execute(
      trx,
    )
  }
  if (sessions) {
    await sql`delete from ${sql.id(schema, 'visitor_sessions')} where store_id = ${storeId} and ${areWhole(there)}`.execute(
      trx,
    )
    await sql`insert into ${sql.id(schema, 'visitor_sessions')} select * from pg_temp.visitor_sessions where ${areWhole(there)} on conflict do nothing`.execute(
      trx,
    )
  }
  // Tells the rollup to sum these tests up again, with every order; it does so within seconds.
  await sql`delete from ${sql.id(schema, 'test_order_states')} where store_id = ${storeId} and test_id = any(${tests}::uuid[])`.execute(
    trx,
  )
  await sql`
    insert into ${sql.id(schema, 'test_changes')} as c (store_id, test_id, changed, orders_changed) select ${storeId}::uuid, id, 1, 1 from unnest(${tests}::uuid[]) id
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`.execute(
    trx,
  )
}
