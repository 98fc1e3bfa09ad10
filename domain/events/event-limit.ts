import { type Beacon, type ShopperEvent } from './event.ts'
import { unlimitedVisitors } from '../plans/plan.ts'

/** What an ordinary event takes in the database, with its part of the indexes. Bytes. */
export const ordinaryEvent = 600
/** What a row takes beside its texts, and a claim on a test. Bytes. */
const ownBytes = 120,
  claimBytes = 48

/**
 * How many ordinary events a beacon's events take the room of: at least as many as there are. What its events share is
 * stored with each of them, and the visit's first page and referrer with each exposure, so a small beacon can be a large one.
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

/** What of a shop's events a minute one address may send, so that none keeps the others from it. */
export const addressShare = (ofShop: number): number => Math.max(1_000, Math.ceil(ofShop / 5))

/** What of it all addresses of one network may send together: one customer of a provider often has thousands. */
export const networkShare = (ofShop: number): number =>
  Math.max(addressShare(ofShop), Math.ceil(ofShop / 2))

/** Events a minute that a shop of a plan may send: what the busiest hour of a month's visitors brings, many times over. Null: no plan. */
export const eventsPerMinute = (planVisitors: number | null): number =>
  Math.max(6_000, Math.ceil(Math.min(planVisitors ?? 0, unlimitedVisitors) / 10))
