import { sql } from 'kysely'
import type { DeviceIndex } from '../domain/device.ts'
import { eventKinds } from '../domain/event.ts'
import type { Beacon } from '../domain/event.ts'
import { aggregate } from './aggregates.ts'
import type { Trx } from './aggregates.ts'
import type { Db } from './db/connection.ts'
import { rows as query } from './db/raw.ts'
import { loadStore } from './event-stores.ts'
import type { CollectingStore } from './event-stores.ts'
import type { EventRow, SetAside } from './ingest-rows.ts'
import { lockStores } from './ingest-write.ts'

const pageSize = 5_000

/**
 * Makes every aggregate of a store again from its raw events (orders are raw as they are), through the same code that
 * keeps them, in one transaction; the store's events wait meanwhile. The next rollup sums its tests up anew.
 */
export async function rebuild(db: Db, shop: string): Promise<void> {
  const store = await loadStore(db, shop)
  if (!store) throw new Error(`There is no shop ${shop} here.`)
  await db.kysely.transaction().execute(async trx => {
    await lockStores(trx, [store.id])
    await rebuildIn(trx, store)
  })
}

/** Does so for every store that an upgrade has marked, once, whoever else does so at the same moment. */
export async function rebuildDue(db: Db, isStopped: () => boolean): Promise<void> {
  const due = await db.kysely.selectFrom('rebuilds_due').innerJoin('stores', 'stores.store_id', 'rebuilds_due.store_id')
    .select('stores.shop').where('stores.status', '=', 'installed').execute()
  for (const { shop } of due) {
    const store = await loadStore(db, shop)
    if (isStopped()) return
    if (!store) continue
    await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, [store.id])
      if (await trx.selectFrom('rebuilds_due').select('store_id').where('store_id', '=', store.id).executeTakeFirst()) await rebuildIn(trx, store)
    })
  }
}

async function rebuildIn(trx: Trx, store: CollectingStore): Promise<void> {
  for (const table of ['test_visitors', 'test_days', 'test_arms', 'test_cube', 'visitor_sessions', 'store_visitors', 'store_periods', 'rebuilds_due'])
    await sql`delete from ${sql.table(table)} where store_id = ${store.id}`.execute(trx)
  // Without statistics (PGlite gathers none by itself) every page would be sorted out of all events that are left.
  await sql`analyze events`.execute(trx)
  await replay(trx, store)
  await sql`
    insert into test_changes as c (store_id, test_id, changed, orders_changed) select store_id, test_id, 1, 1 from tests where store_id = ${store.id}
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`.execute(trx)
}

/** Folds all of a store's events, by day, into aggregates that hold none of them yet. */
export async function replay(trx: Trx, store: CollectingStore): Promise<void> {
  for (let last: RawRow | undefined; ;) {
    const page = await readPage(trx, store.id, last)
    await aggregate(trx, page.map(row => eventRow(store.id, row)), () => store)
    last = page.at(-1)
    if (page.length < pageSize) break
  }
}

type RawRow = {
  day: string; id: string; at: number; kind: number; device: DeviceIndex; set_aside: SetAside; is_bot: boolean; is_new: boolean
  visitor_id: string; session_id: string; path: string; claims: Beacon['tests']; tests: string[] | null; landing: string | null; referrer: string | null; country: string | null
}

const readPage = (trx: Trx, storeId: string, after: RawRow | undefined): Promise<RawRow[]> => query<RawRow>(trx, `
  select day::text as day, id, round(extract(epoch from at) * 1000)::float8 as at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests::text[] as tests, landing, referrer, country
  from events where store_id = $1 and (day, id) > ($2::date, $3) order by day, id limit ${pageSize}`,
[storeId, after?.day ?? '-infinity', after?.id ?? ''])

const eventRow = (storeId: string, row: RawRow): EventRow => ({
  visit: {
    storeId, visitor: row.visitor_id, session: row.session_id, device: row.device, isBot: row.is_bot, isNew: row.is_new,
    landing: row.landing ?? '', referrer: row.referrer ?? '', country: row.country, claims: row.claims,
  },
  day: row.day, id: row.id, at: row.at, kind: eventKinds[row.kind]!, path: row.path, tests: row.tests, setAside: row.set_aside,
})
