import type { Beacon } from '../../domain/events/event.ts'
import { day } from '../../domain/time-units.ts'

/**
 * `perDay`: maximum number of ids per visitor and day. `kept`: maximum number of ids in memory,
 * about 100 bytes each; beyond it, the visitor whose day began first is forgotten.
 */
type Limit = { perDay: number; kept: number }

/**
 * Maximum number of sessions per visitor and day. A session ends after half an hour without an act,
 * so a browser begins at most 48 a day. When a visitor's first exposure moves to an earlier time,
 * all the visitor's sessions are read: without a limit, one visitor id with 200,000 sessions made
 * each of its beacons take seconds.
 */
export const sessionsTaken: Limit = { perDay: 100, kept: 500_000 }

/**
 * Maximum number of measured pages per visitor and day. A report compares the slowest quarter of
 * each arm's pages:
 * without a limit one visitor could send as many pages as all others together, with any speed.
 */
export const pagesMeasured: Limit = { perDay: 10, kept: 200_000 }

/**
 * Returns a function that says whether a visitor may still use this id today, as far as this
 * process remembers. An id that was accepted is accepted again.
 */
export function visitorLimit({ perDay, kept }: Limit, now: () => number = () => performance.now()) {
  let count = 0
  const known = new Map<string, { from: number; ids: Set<string> }>()
  return (storeId: string, visitor: string, id: string): boolean => {
    const key = `${storeId} ${visitor}`,
      at = now()
    let own = known.get(key)
    if (!own || at - own.from >= day) {
      forget(key)
      known.set(key, (own = { from: at, ids: new Set() }))
    }
    if (own.ids.has(id)) return true
    if (own.ids.size >= perDay) return false
    own.ids.add(id)
    count++
    while (count > kept) forget(known.keys().next().value!)
    return true
  }
  function forget(key: string): void {
    count -= known.get(key)?.ids.size ?? 0
    known.delete(key)
  }
}

/**
 * Returns a function that limits a beacon: null if its visitor has begun too many sessions today,
 * otherwise the beacon without the measured pages beyond the limit.
 */
export function visitorLimits(
  now?: () => number,
): (storeId: string, beacon: Beacon) => Beacon | null {
  const mayBegin = visitorLimit(sessionsTaken, now),
    mayMeasure = visitorLimit(pagesMeasured, now)
  return (storeId, beacon) => {
    const { visitor, session } = beacon
    if (!mayBegin(storeId, visitor, session)) return null
    const events = beacon.events.filter(
      // The key includes the time: the day is part of a row's key, so the same id on another day is
      // another page.
      ({ kind, id, at }) => kind !== 'vitals' || mayMeasure(storeId, visitor, `${id} ${at}`),
    )
    return events.length < beacon.events.length ? { ...beacon, events } : beacon
  }
}
