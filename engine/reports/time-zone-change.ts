import { LaterProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { day } from '../../domain/time-units.ts'
import { visitorKey } from '../events/fold/sessions.ts'
import { sideOf } from '../events/fold/deltas.ts'
import { Deltas } from '../events/fold/deltas.ts'
import { readSessions } from '../events/store/sessions.ts'
import { readStates } from '../events/store/states.ts'
import { writeDeltas } from '../events/store/counts.ts'
import type { Db } from '../db/connection.ts'
import { rows as query, run } from '../db/raw.ts'
import { together } from '../db/together.ts'
import { type CollectingStore, loadStore } from '../events/event-stores.ts'
import { waitBriefly, withStoreLock } from '../events/store-lock.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import type { Trx } from '../db/types.ts'

type Place = { storeId: string; shop: string }

/**
 * Runs `change` in a transaction that has locked the store's row. It may change the row, and may
 * set the time zone to the one that it is given or leave it. If that changes the time zone, the
 * days of the store's tests and orders are counted again by the new zone in the same transaction.
 * The store's events and orders wait meanwhile, so that no figure mixes two calendars. The time
 * this takes grows with the visitors of the tests (5.6 s for 50,000 with 20,000 orders, on a busy
 * small machine); it reads no events. While the time zone stays, nothing waits. When the time zone
 * changed too often in the day before `now` (on PGlite all stores wait for a recount), `change` is
 * given the store's zone instead of `zone`, and `isLater` is true: everything else is stored.
 * Throws `StoreBusy` when the store is locked.
 */
export async function followingZone<T>(
  db: Pick<Db, 'kysely'>,
  { storeId, shop, zone, now }: Place & { zone: string; now: Date },
  change: (trx: Trx, zone: string) => Promise<T>,
): Promise<{ done: T; isLater: boolean }> {
  // The row's lock keeps the time zone as it was read. It is taken after the store's lock, as
  // everywhere, so a transaction that has only the row must not ask for the store.
  const same = await db.kysely.transaction().execute(async trx => {
    await waitBriefly(trx)
    const own = (await lockedZone(trx, storeId)) ?? zone
    const isLater = own !== zone && !mayChange(storeId, now.getTime())
    return own === zone || isLater ? { done: await change(trx, own), isLater } : null
  })
  if (same) return same
  return withStoreLock(db, storeId, async trx => {
    const before = await lockedZone(trx, storeId),
      done = await change(trx, zone)
    if ((await lockedZone(trx, storeId)) !== before) {
      changes.set(storeId, [...(changes.get(storeId) ?? []), now.getTime()])
      const store = await loadStore({ kysely: trx }, shop)
      if (store) await countDaysAnew(trx, store)
    }
    return { done, isLater: false }
  })
}

/** What the sender of a change is told that came too often. */
export const zoneLater = (): LaterProblem => new LaterProblem(quotaWords.zoneChanges, again)

/** By store: when this process counted its days again in the last day (milliseconds). */
const changes = new Map<string, number[]>()
/** Seconds after which a refused change may be sent again. */
const again = 3_600

/** Counts changes that failed later too, because they cost as much. */
function mayChange(storeId: string, now: number): boolean {
  for (const [id, times] of changes) {
    const recent = times.filter(at => at > now - day)
    if (recent.length > 0) changes.set(id, recent)
    else changes.delete(id)
  }
  return (changes.get(storeId) ?? []).length < quotas.zoneChanges
}

async function lockedZone(trx: Trx, storeId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('stores')
    .select('time_zone')
    .where('store_id', '=', storeId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.time_zone
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
  await together(trx, writeDeltas(deltas))
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
