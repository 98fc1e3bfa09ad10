import { beaconLimits, eventAge, type Beacon, type ShopperEvent } from '../domain/event.ts'
import type { ScriptConfig } from '../domain/script-config.ts'
import type { Session, VisitorMemory } from './core.ts'

/** An event waiting to be sent, with the session it happened in. */
export type Waiting = { session: Omit<Session, 'last'>; event: ShopperEvent }

/** Most events that wait at a time; the oldest give way. */
export const waitingLimit = 200

/** `event` with what of the visitor's session goes with it. */
export function waiting({ session }: VisitorMemory, event: ShopperEvent): Waiting {
  const { id, landing, referrer, isNew } = session!
  return { session: { id, landing, referrer, isNew }, event }
}

/** The beacons that carry these events, one or more per session. Tests no longer running are left out. */
export function buildBeacons({ shop, tests }: Pick<ScriptConfig, 'shop' | 'tests'>, memory: VisitorMemory, events: Waiting[], now: number): Beacon[] {
  const beacons: Beacon[] = []
  const held: Beacon['tests'] = {}
  for (const { id } of tests.slice(0, beaconLimits.tests)) if (memory.tests[id]) held[id] = memory.tests[id]
  for (const { session: { id: session, landing, referrer, isNew }, event } of events) {
    let beacon = beacons.find(one => one.session === session && one.events.length < beaconLimits.events)
    if (!beacon) beacons.push((beacon = { v: 1, shop, visitor: memory.visitor, session, sent: now, isNew, landing, referrer, tests: held, events: [] }))
    beacon.events.push(event)
  }
  return beacons
}

/** Whether an event is still worth sending: the collector sets older ones aside. */
export const isFresh = ({ at }: ShopperEvent, now: number): boolean => now - at < eventAge.behind
