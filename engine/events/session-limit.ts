import { day } from '../../domain/time-units.ts'

/**
 * Sessions of one visitor that are taken in a day. A session ends after half an hour without an act, so a browser begins
 * 48 at most. All of a visitor's sessions are read when their first exposure becomes earlier: without a limit one id with
 * 200,000 of them made each of its beacons take seconds.
 */
export const sessionsPerDay = 100
/** Sessions remembered at a time, some 100 bytes each; the visitor whose day began first is forgotten. */
export const sessionsKept = 500_000

/** Whether a beacon's session is one that its visitor may still have today, by this process's memory. */
export function sessionLimit(now: () => number = () => performance.now()) {
  let kept = 0
  const known = new Map<string, { from: number; sessions: Set<string> }>()
  return (storeId: string, visitor: string, session: string): boolean => {
    const key = `${storeId} ${visitor}`,
      at = now()
    let own = known.get(key)
    if (!own || at - own.from >= day) {
      forget(key)
      known.set(key, (own = { from: at, sessions: new Set() }))
    }
    if (own.sessions.has(session)) return true
    if (own.sessions.size >= sessionsPerDay) return false
    own.sessions.add(session)
    kept++
    while (kept > sessionsKept) forget(known.keys().next().value!)
    return true
  }
  function forget(key: string): void {
    kept -= known.get(key)?.sessions.size ?? 0
    known.delete(key)
  }
}
