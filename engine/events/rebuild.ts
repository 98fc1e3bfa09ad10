import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { loadStore } from './event-stores.ts'
import type { StoreTest } from './fold/event-rows.ts'
import { withStoreLockAtLast } from './store-lock.ts'
import { keptFrom } from './event-days.ts'
import { remake } from './rebuild-aside.ts'
import { replay } from './replay.ts'
import { settledTests } from '../tests/settled.ts'
import type { Trx } from '../db/types.ts'

/**
 * Rebuilds every aggregate of a store from its raw events, in one transaction, with the same code
 * that updates them.
 * Orders need no rebuild, because they are stored raw. The store's new events wait meanwhile. The
 * next rollup sums the tests up again. If old days were dropped, tests that began before the kept
 * events keep their counts, and so does the usage of the plan.
 */
export async function rebuild(db: Db, shop: string): Promise<Rebuilt> {
  const store = await loadStore(db, shop)
  if (!store) throw new Error(`There is no shop ${shop} here.`)
  return withStoreLockAtLast(db, store.id, trx => rebuildIn(trx, shop))
}

/** How many tests were counted again, and how many stay as they were counted. */
export type Rebuilt = { counted: number; kept: number }

/**
 * Rebuilds every store that an upgrade has marked, once, even if several processes call this at the
 * same moment.
 */
export async function rebuildDue(db: Db, isStopped: () => boolean): Promise<void> {
  const due = await db.kysely
    .selectFrom('rebuilds_due')
    .innerJoin('stores', 'stores.store_id', 'rebuilds_due.store_id')
    .select('stores.shop')
    .where('stores.status', '=', 'installed')
    .execute()
  for (const { shop } of due) {
    const store = await loadStore(db, shop)
    if (isStopped()) return
    if (!store) continue
    await withStoreLockAtLast(db, store.id, async trx => {
      if (
        await trx
          .selectFrom('rebuilds_due')
          .select('store_id')
          .where('store_id', '=', store.id)
          .executeTakeFirst()
      )
        await rebuildIn(trx, shop)
    })
  }
}

async function rebuildIn(trx: Trx, shop: string): Promise<Rebuilt> {
  // Read both under the lock, the unfinished imports first: a test that was launched, or an import
  // that ended, while we waited is then in at least one of them.
  const unfinished = await unfinishedImports(trx, shop),
    store = await loadStore({ kysely: trx }, shop)
  if (!store) return { counted: 0, kept: 0 }
  const all = store.tests.size
  if ((await keptFrom({ kysely: trx })) || (await settledTests(trx, store.id)).size > 0) {
    await sql`delete from rebuilds_due where store_id = ${store.id}`.execute(trx)
    const counted = await remake(trx, store)
    return { counted, kept: all - counted }
  }
  for (const table of [
    'test_visitors',
    'test_days',
    'test_arms',
    'test_cube',
    'test_speed',
    'test_visitor_products',
    'test_product_visitors',
    'visitor_sessions',
    'store_visitors',
    'store_periods',
    'rebuilds_due',
    'order_marks',
  ])
    await sql`delete from ${sql.table(table)} where store_id = ${store.id}`.execute(trx)
  // Orders of settled tests are no longer stored, so their sums stay.
  await sql`delete from test_order_states s where store_id = ${store.id} and exists (select from tests t where t.store_id = s.store_id and t.test_id = s.test_id and t.settled_at is null)`.execute(
    trx,
  )
  await replay(trx, { ...store, tests: new Map([...unfinished, ...store.tests]) })
  await sql`
    insert into test_changes as c (store_id, test_id, changed, orders_changed) select store_id, test_id, 1, 1 from tests where store_id = ${store.id} and settled_at is null
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`.execute(
    trx,
  )
  return { counted: all, kept: 0 }
}

/**
 * Imports that were interrupted. Such an import has visitors and counts but no test yet, and
 * continues with them. All its stored events belong to its time, so its span has no limits.
 */
async function unfinishedImports(trx: Trx, shop: string): Promise<[string, StoreTest][]> {
  const found = await trx
    .selectFrom('test_imports as i')
    .innerJoin('stores as s', 's.store_id', 'i.store_id')
    .select(['i.test_id', 'i.weights'])
    .where('s.shop', '=', shop)
    .where('i.is_finished', '=', false)
    .execute()
  return found.map(({ test_id, weights }) => [
    test_id,
    {
      id: test_id,
      weights,
      startAt: -Infinity,
      endedAt: Infinity,
      spans: [{ from: -Infinity, to: Infinity }],
    },
  ])
}
