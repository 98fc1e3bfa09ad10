import { sql } from 'kysely'
import { isImported } from '../../../domain/imports/imported.ts'
import { day as dayLength } from '../../../domain/time-units.ts'
import type { Db } from '../../db/connection.ts'
import { run } from '../../db/raw.ts'
import { setAside } from '../ingest-rows.ts'
import type { EventRow } from '../ingest-rows.ts'
import { dayIn } from '../visit-day.ts'
import type { Trx } from '../../db/types.ts'

export type PeriodStore = { id: string; timeZone: string; cycleAnchor: number }

/** A billing cycle of the shop's platform. */
const cycleLength = 30 * dayLength

export const dayPeriod = (day: string): string => `day:${day}`
/** Names the usage cycle an instant falls in by the cycle's first moment. */
export const cyclePeriod = (anchor: number, at: number): string =>
  `cycle:${new Date(anchor + Math.floor((at - anchor) / cycleLength) * cycleLength).toISOString()}`

/** What names a visitor of a period among the recorded. */
export const recordedKey = (storeId: string, period: string, visitor: string): string =>
  `${storeId} ${period} ${visitor}`

/** Visitors this process has already written, so that their next beacons need not ask again. Holds committed ones alone. */
export class RecordedVisitors {
  #keys = new Set<string>()
  has(key: string): boolean {
    return this.#keys.has(key)
  }
  add(keys: string[]): void {
    if (this.#keys.size > 200_000) this.#keys.clear()
    for (const key of keys) this.#keys.add(key)
  }
}

/** Counts each visitor of the shop, tested or not, once in the day and once in the usage cycle. Bots use up no plan, nor do visitors of an imported test or those set aside. */
export async function recordStoreVisitors(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => PeriodStore,
  recorded?: RecordedVisitors,
  isAside: (storeId: string, visitor: string) => boolean = () => false,
): Promise<string[]> {
  const fresh = new Map<string, [storeId: string, period: string, visitor: string]>()
  let last: { visit: EventRow['visit']; day: string; cycle: string } | undefined
  for (const { visit, at, kind, setAside: reason } of rows) {
    // A page's figures come as it is left, maybe the next day: that is no visit.
    if (visit.isBot || reason === setAside.farOff || kind === 'vitals' || isImported(visit.visitor))
      continue
    const store = storeOf(visit.storeId)
    const day = dayIn(store.timeZone, at),
      cycle = cyclePeriod(store.cycleAnchor, at)
    if (last?.visit === visit && last.day === day && last.cycle === cycle) continue
    last = { visit, day, cycle }
    for (const period of [dayPeriod(day), cycle]) {
      const key = recordedKey(visit.storeId, period, visit.visitor)
      if (!recorded?.has(key)) fresh.set(key, [visit.storeId, period, visit.visitor])
    }
  }
  if (fresh.size === 0) return []
  const found = [...fresh.values()]
  await run(
    trx,
    `
    with added as (
      insert into store_visitors (store_id, period, visitor_id, is_aside) select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[])
      on conflict do nothing returning store_id, period, is_aside)
    insert into store_periods as p (store_id, period, visitors) select store_id, period, count(*) filter (where not is_aside) from added group by store_id, period
    on conflict (store_id, period) do update set visitors = p.visitors + excluded.visitors`,
    [
      found.map(f => f[0]),
      found.map(f => f[1]),
      found.map(f => f[2]),
      found.map(f => isAside(f[0], f[2])),
    ],
  )
  return [...fresh.keys()]
}

/** Visitors of the store in the usage cycle of this moment (StoreStatus.sessions). The anchor is any start of a cycle, or its reset. */
export async function visitorsInCycle(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  anchor: Date,
  now: Date,
): Promise<number> {
  return visitorsIn(db, storeId, cyclePeriod(anchor.getTime(), now.getTime()))
}

async function visitorsIn(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  period: string,
): Promise<number> {
  const {
    rows: [row],
  } = await sql<{
    visitors: number
  }>`select visitors from store_periods where store_id = ${storeId} and period = ${period}`.execute(
    db.kysely,
  )
  return row?.visitors ?? 0
}
