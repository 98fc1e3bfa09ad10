import { isImported } from '../../../domain/imports/imported.ts'
import { day as dayLength } from '../../../domain/time-units.ts'
import { type EventRow, setAside } from './event-rows.ts'
import { dayIn } from './visit-day.ts'

export type PeriodStore = { id: string; timeZone: string; cycleAnchor: number }

/** Length of a billing cycle of the shop's platform. Milliseconds. */
const cycleLength = 30 * dayLength

export const dayPeriod = (day: string): string => `day:${day}`
/**
 * The name of the usage cycle that contains the instant `at`. It is made from the cycle's first
 * moment.
 */
export function cyclePeriod(anchor: number, at: number): string {
  const begin = anchor + Math.floor((at - anchor) / cycleLength) * cycleLength
  // The events of a batch are mostly of one cycle, and writing a date takes long.
  if (begin !== latest.begin) latest = { begin, name: `cycle:${new Date(begin).toISOString()}` }
  return latest.name
}
let latest = { begin: NaN, name: '' }

/** The key of a visitor in a period, for `RecordedVisitors`. */
export const recordedKey = (storeId: string, period: string, visitor: string): string =>
  `${storeId} ${period} ${visitor}`

/**
 * A cache of visitors that this process has already written, so that their next beacons need no
 * query. It may hold only committed visitors.
 */
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

/** A visitor of the shop in a period. */
export type PeriodVisitor = [storeId: string, period: string, visitor: string]

/**
 * Returns, by `recordedKey`, each visitor of the shop in each day and each usage cycle, in a test
 * or not, except those already in `recorded`. Bots and visitors of an imported test do not count
 * for the plan.
 */
export function foldPeriods(
  rows: EventRow[],
  storeOf: (storeId: string) => PeriodStore,
  recorded?: RecordedVisitors,
): Map<string, PeriodVisitor> {
  const fresh = new Map<string, PeriodVisitor>()
  let last: { visit: EventRow['visit']; day: string; cycle: string } | undefined
  for (const { visit, at, kind, setAside: reason } of rows) {
    // A page's speed is sent when the visitor leaves the page, maybe on the next day: that is no
    // visit.
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
  return fresh
}
