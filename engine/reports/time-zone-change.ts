import { visitorKey } from '../events/fold/sessions.ts'
import { sideOf } from '../events/fold/deltas.ts'
import { Deltas } from '../events/fold/deltas.ts'
import { readSessions } from '../events/store/sessions.ts'
import { readStates } from '../events/store/states.ts'
import { writeDeltas } from '../events/store/counts.ts'
import { rows as query, run } from '../db/raw.ts'
import { type CollectingStore, loadStore } from '../events/event-stores.ts'
import { lockStores } from '../events/ingest-write.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import type { Trx } from '../db/types.ts'

type Place = { storeId: string; shop: string }

/**
 * Runs `change`, which may change a store's row. If that changes the time zone, the days of its
 * tests and orders are counted again by the new zone in the same transaction. The store's events
 * and orders wait meanwhile, so that no figure mixes two calendars. The time this takes grows with
 * the visitors of the tests (5.6 s for 50,000 with 20,000 orders, on a busy small machine); it
 * reads no events.
 */
export async function followingZone<T>(
  trx: Trx,
  { storeId, shop }: Place,
  change: () => Promise<T>,
): Promise<T> {
  await lockStores(trx, [storeId])
  const zone = async () =>
    (
      await trx
        .selectFrom('stores')
        .select('time_zone')
        .where('store_id', '=', storeId)
        .executeTakeFirst()
    )?.time_zone
  const before = await zone(),
    done = await change()
  if ((await zone()) !== before) {
    const store = await loadStore({ kysely: trx }, shop)
    if (store) await countDaysAnew(trx, store)
  }
  return done
}

async function countDaysAnew(trx: Trx, store: CollectingStore): Promise<void> {
  await run(
    trx,
    'delete from test_days d where store_id = $1 and not exists (select from tests t where t.store_id = d.store_id and t.test_id = d.test_id and t.settled_at is not null)',
    [store.id],
  )
  for (let last = ''; ;) {
    const page = await query<{ visitor_id: string }>(
      trx,
      'select distinct visitor_id from test_visitors where store_id = $1 and visitor_id > $2 order by 1 limit 5000',
      [store.id, last],
    )
    if (page.length === 0) break
    last = page.at(-1)!.visitor_id
    await addDays(
      trx,
      store,
      page.map(row => row.visitor_id),
    )
  }
  await moveOrders(trx, store)
  await run(
    trx,
    `
    insert into test_changes as c (store_id, test_id, changed, orders_changed) select store_id, test_id, 1, 1 from tests where store_id = $1 and settled_at is null
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`,
    [store.id],
  )
}

/**
 * Adds the days of these visitors. Their stored states and sessions contain everything that a day
 * counts.
 */
async function addDays(trx: Trx, store: CollectingStore, visitors: string[]): Promise<void> {
  const of = visitors.map(visitor => ({ storeId: store.id, visitor }))
  const sessions = await readSessions(trx, of),
    deltas = new Deltas()
  for (const { state } of await readStates(trx, of))
    deltas.replace(store, null, sideOf(state, sessions.get(visitorKey(store.id, state.visitor))!))
  // The cube and the arms have no days, so they stay as they are.
  deltas.cube.clear()
  deltas.arms.clear()
  await writeDeltas(trx, deltas)
}

/** All instants of a quarter of an hour are on the same day (visit-day.ts). */
const quarterOf = 'floor(extract(epoch from o.created_at) / 900)::float8'
async function moveOrders(trx: Trx, store: CollectingStore): Promise<void> {
  const quarters = (
    await query<{ quarter: number }>(
      trx,
      `select distinct ${quarterOf} as quarter from orders o where o.store_id = $1`,
      [store.id],
    )
  ).map(row => row.quarter)
  await run(
    trx,
    `
    update orders o set day = k.day from unnest($2::float8[], $3::date[]) k(quarter, day)
    where o.store_id = $1 and ${quarterOf} = k.quarter and o.day <> k.day`,
    [store.id, quarters, quarters.map(quarter => dayIn(store.timeZone, quarter * 900_000))],
  )
}
