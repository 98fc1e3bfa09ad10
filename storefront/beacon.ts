import { beaconLimits, type Beacon, type ShopperEvent } from '../domain/events/event.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import type { Session, VisitorMemory } from './core.ts'

/** Events wait in storage, each under a key that begins with this. */
export const eventPrefix = '_ts_e.'

/** An event waiting to be sent, with the session it happened in. */
export type Waiting = Session & { event: ShopperEvent }

/**
 * The beacons that carry these events, one or more per session. They name the visitor's newest
 * tests, running or not:
 * an event of a test that was paused or ended meanwhile may still be waiting, and the engine knows
 * what counts.
 */
export function buildBeacons(
  { shop }: Pick<ScriptConfig, 'shop'>,
  { visitor, tests: held }: VisitorMemory,
  events: Waiting[],
  now: number,
  consent?: true,
): Beacon[] {
  const beacons: Record<string, Beacon> = {}
  const tests = Object.fromEntries(Object.entries(held).slice(-beaconLimits.tests))
  events.forEach(({ event, ...session }, i) => {
    const key = session.session + ((i / beaconLimits.events) | 0)
    const beacon = (beacons[key] = beacons[key] || {
      v: 1,
      shop,
      visitor,
      sent: now,
      consent: consent!,
      tests,
      events: [],
      ...session,
    })
    beacon.events.push(event)
  })
  return Object.values(beacons)
}
