import { sql } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import { eventAge } from '../../domain/events/event.ts'
import { activeSpans } from '../tests/active-spans.ts'
import type { Db } from '../db/connection.ts'
import { excludingOf, type ExcludingRow } from '../tests/exclusion.ts'
import type { EventStore, StoreTest } from './fold/event-rows.ts'
import { stragglerGrace } from '../tests/stand-still.ts'
import { statusHistory, type StatusHistory } from '../tests/status-history.ts'

/** A store as the collector sees it. */
export type CollectingStore = EventStore & {
  shop: string
  currency: string
  /** Only visitors who have agreed are counted. */
  asksConsent: boolean
  /** Visitors per month that the store's plan allows; null without a plan. */
  planVisitors: number | null
  /** Origins whose pages may send events. */
  origins: Set<string>
  /** Any instant at which a usage cycle of 30 days begins; milliseconds. */
  cycleAnchor: number
  loadedAt: number
}

export type EventStores = {
  /**
   * Finds a store by its platform domain; null if no such store is installed. The result may be up
   * to two seconds old.
   */
  byShop: (shop: string) => Promise<CollectingStore | null>
  /**
   * Like `byShop`, but reads the store again unless it was read after `since` (milliseconds of
   * performance.now()).
   */
  fresh: (shop: string, since: number) => Promise<CollectingStore | null>
}

const maxAge = 2_000
const knownLimit = 10_000

/** A short-lived cache of stores and their tests, so that a beacon needs no query of its own. */
export function eventStores(db: Db, clock: () => Date): EventStores {
  type Entry = { loadedAt: number; clock: number; store: Promise<CollectingStore | null> }
  const known = new Map<string, Entry>()
  // Seeding moves the clock by days within a second, and an entry from before such a move is out of
  // date.
  const isRecent = (entry: Entry) =>
    performance.now() - entry.loadedAt < maxAge &&
    Math.abs(clock().getTime() - entry.clock) < maxAge
  const load = (shop: string) => {
    if (known.size >= knownLimit) known.clear()
    const loadedAt = performance.now()
    const entry = {
      loadedAt,
      clock: clock().getTime(),
      store: loadStore(db, shop, loadedAt, clock(), false),
    }
    known.set(shop, entry)
    entry.store.catch(() => known.delete(shop))
    return entry.store
  }
  return {
    byShop: shop => {
      const entry = known.get(shop)
      return entry && isRecent(entry) ? entry.store : load(shop)
    },
    fresh: (shop, since) => {
      const entry = known.get(shop)
      return entry && entry.loadedAt >= since ? entry.store : load(shop)
    },
  }
}

/**
 * Maximum age of a store's data when it is used. It is well below `stragglerGrace`, after which a
 * pause takes effect. Milliseconds.
 */
const longestUse = stragglerGrace / 2

/**
 * Returns these stores, read again where they are older than `longestUse`. The caller holds the
 * stores' locks and may have waited for them for minutes. Meanwhile a test may have been paused or
 * resumed, and other processes may have stored events by its new state.
 */
export async function stillRecent(
  trx: Pick<Db, 'kysely'>,
  stores: Map<string, CollectingStore>,
): Promise<Map<string, CollectingStore>> {
  const now = performance.now(),
    recent = new Map(stores)
  for (const [id, store] of stores) {
    if (now - store.loadedAt < longestUse) continue
    const { tests } = (await loadStore(trx, store.shop, now, new Date(), false)) ?? store
    // The rows to write may name a test that was deleted meanwhile, so keep the old tests too.
    recent.set(id, { ...store, loadedAt: now, tests: new Map([...store.tests, ...tests]) })
  }
  return recent
}

/**
 * Reads the installed store of this platform domain with all its launched tests; with
 * `withImported` also the imported tests, which no beacon may name. Null if there is no such store.
 */
export async function loadStore(
  db: Pick<Db, 'kysely'>,
  shop: string,
  loadedAt = performance.now(),
  now = new Date(),
  withImported = true,
): Promise<CollectingStore | null> {
  const recent = new Date(now.getTime() - eventAge.behind)
  const {
    rows: [row],
  } = await sql<StoreRow>`
    select s.store_id, s.shop, s.domain, s.origin, s.consent_rule = 'afterConsent' as asks_consent, s.currency, s.time_zone, coalesce(s.usage_reset, s.created_at) as cycle_anchor,
      (select p.monthly_visitors from plans p where p.plan_id = s.plan_id) as plan_visitors,
      coalesce((select json_agg(json_build_object('id', t.test_id, 'weights', t.weights,
          'startAt', extract(epoch from t.start_at) * 1000, 'endedAt', extract(epoch from t.ended_at) * 1000,
          'isForAll', t.audience_ids = '[]'::jsonb,
          'excluding', case when t.start_at is not null and not t.is_imported and coalesce(t.ended_at > ${recent}, true) then json_build_object('kind', t.kind, 'pages', t.pages,
            'control_target', t.control_target, 'variant_target', t.variant_target, 'resource_ids', t.resource_ids, 'api_mode', t.api_mode, 'redirect_url', t.redirect_url) end,
          'history', ${statusHistory}))
        from tests t where t.store_id = s.store_id and (${withImported} or not t.is_imported)), '[]') as tests,
      coalesce((select json_agg(t.variant_hypothesis_id) from tests t where t.store_id = s.store_id and t.kind = 'PageElement' and t.applied_arm is not null), '[]') as applied
    from stores s where s.shop = ${shop} and s.status = 'installed'`.execute(db.kysely)
  if (!row) return null
  return {
    id: row.store_id,
    shop: row.shop,
    asksConsent: row.asks_consent,
    currency: row.currency,
    planVisitors: row.plan_visitors,
    timeZone: row.time_zone,
    loadedAt,
    cycleAnchor: row.cycle_anchor.getTime(),
    origins: new Set([
      row.origin,
      `https://${row.shop}`,
      `https://${row.domain}`,
      `https://${row.domain.startsWith('www.') ? row.domain.slice(4) : `www.${row.domain}`}`,
    ]),
    hosts: new Set(
      [hostOf(row.origin), row.shop, row.domain, `www.${row.domain}`].map(host =>
        host.toLowerCase(),
      ),
    ),
    tests: new Map(row.tests.map(test => [test.id, storeTest(test)])),
    applied: new Set(row.applied),
  }
}

const hostOf = (origin: string): string => URL.parse(origin)?.hostname ?? ''

type TestRow = {
  id: string
  weights: PerArm<number>
  startAt: number | null
  endedAt: number | null
  isForAll: boolean
  excluding: ExcludingRow | null
  history: StatusHistory
}
type StoreRow = {
  store_id: string
  asks_consent: boolean
  shop: string
  domain: string
  origin: string
  currency: string
  time_zone: string
  cycle_anchor: Date
  plan_visitors: number | null
  tests: TestRow[]
  applied: string[]
}

const storeTest = ({
  id,
  weights,
  startAt,
  endedAt,
  isForAll,
  excluding,
  history,
}: TestRow): StoreTest => ({
  id,
  weights,
  startAt: startAt ?? Infinity,
  endedAt: endedAt ?? Infinity,
  spans: activeSpans(history ?? []),
  isForAll,
  excluding: excluding ? excludingOf(id, excluding) : undefined,
})
