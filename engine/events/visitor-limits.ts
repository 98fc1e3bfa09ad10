import type { Beacon } from '../../domain/events/event.ts'
import { day } from '../../domain/time-units.ts'

/** `perDay`: of one visitor. `kept`: remembered at a time, some 100 bytes each; the visitor whose day began first is forgotten. */
type Limit = { perDay: number; kept: number }

/**
 * Sessions of one visitor that are taken in a day. A session ends after half an hour without an act, so a browser begins
 * 48 at most. All of a visitor's sessions are read when their first exposure becomes earlier: without a limit one id with
 * 200,000 of them made each of its beacons take seconds.
 */
export const sessionsTaken: Limit = { perDay: 100, kept: 500_000 }

/**
 * Pages of one visitor that are measured in a day. A report compares the slowest quarter of each arm's pages: without a
 * limit one visitor could send as many as all others together, and of any speed.
 */
export const pagesMeasured: Limit = { perDay: 10, kept: 200_000 }

/** Whether an id is one that its visitor may still have today, by this process's memory. An id that was taken is taken again. */
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

/** The part of a beacon that is taken: null where its visitor has begun too many sessions today, and never more pages measured than the limit. */
export function visitorLimits(
  now?: () => number,
): (storeId: string, beacon: Beacon) => Beacon | null {
  const mayBegin = visitorLimit(sessionsTaken, now),
    mayMeasure = visitorLimit(pagesMeasured, now)
  return (storeId, beacon) => {
    const { visitor, session } = beacon
    if (!mayBegin(storeId, visitor, session)) return null
    const events = beacon.events.filter(
      // By its moment too: the day of that is part of a row's key, so the same id on another day is another page.
      ({ kind, id, at }) => kind !== 'vitals' || mayMeasure(storeId, visitor, `${id} ${at}`),
    )
    return events.length < beacon.events.length ? { ...beacon, events } : beacon
  }
}
