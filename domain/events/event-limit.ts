import { type Beacon, type ShopperEvent } from './event.ts'
import { unlimitedVisitors } from '../plans/plan.ts'

/** Size of an ordinary event in the database, with its part of the indexes. Bytes. */
export const ordinaryEvent = 600
/** Size of an event's row without its texts, and of one test in it. Bytes. */
const ownBytes = 120,
  claimBytes = 48

/**
 * The size of a beacon in the database, in ordinary events; never less than the number of its
 * events. The values that its events share are stored with each event, and the visit's first page
 * and referrer with each exposure. So a small beacon can need much room.
 */
export function weightOf(beacon: Beacon): number {
  const shared =
    ownBytes +
    beacon.visitor.length +
    beacon.session.length +
    Object.keys(beacon.tests).length * claimBytes
  const entry = beacon.landing.length + beacon.referrer.length
  const bytes = beacon.events.reduce(
    (sum, event) =>
      sum +
      shared +
      event.path.length +
      (event.tests?.length ?? 0) * claimBytes +
      (tellsEntry(event, beacon) ? entry : 0),
    0,
  )
  return Math.max(beacon.events.length, Math.ceil(bytes / ordinaryEvent))
}

const tellsEntry = ({ kind, path }: ShopperEvent, { landing }: Beacon): boolean =>
  kind === 'exposure' || (kind === 'view' && path === landing)

/**
 * How many of a shop's events a minute one address may send, so that one address cannot use up the
 * shop's limit.
 */
export const addressShare = (ofShop: number): number => Math.max(1_000, Math.ceil(ofShop / 5))

/**
 * How many of them all addresses of one network may send together: one customer of a provider often
 * has thousands of addresses.
 */
export const networkShare = (ofShop: number): number =>
  Math.max(addressShare(ofShop), Math.ceil(ofShop / 2))

/**
 * Events a minute that a shop may send: many times what the busiest hour of a month brings.
 * `planVisitors`: the plan's monthly visitors, null without a plan.
 */
export const eventsPerMinute = (planVisitors: number | null): number =>
  Math.max(6_000, Math.ceil(Math.min(planVisitors ?? 0, unlimitedVisitors) / 10))
