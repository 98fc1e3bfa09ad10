import { day, hour } from '../time-units.ts'

/**
 * When the visitors of one network are set aside as forged (decision 041). Anybody who knows a shop's name can send its
 * collector visitors of their own making; what they cannot make cheaply is many networks. Plain arithmetic, no schema.
 */

export const networkRule = {
  /** The floor: below either of these a network is never judged. */
  visitors: 10,
  share: 0.1,
  /** How many times the shop's usual busiest share a network must exceed. */
  times: 10,
  /** Taken as the usual busiest share until the shop has enough days of its own: then half of the hour's visitors is the limit. A day whose busiest network did not order says no more than this, or than days that did usually say. */
  unknownUsual: 0.05,
  /** Days that say what is usual, the fewest of them, and how many new visitors make a day say something. */
  days: 28,
  fewestDays: 3,
  dayVisitors: 30,
  /** A network that orders as real shoppers do, at least once for each so many visitors, is only warned about. */
  visitorsPerOrder: 200,
  /** How long a visitor's network is known, and how long a decision about it holds. Milliseconds. */
  kept: 2 * day,
  window: hour,
} as const

/** New visitors of a shop on one day: all of them, and those of the busiest network; `hasOrdered`: it ordered as real shoppers do (`hasOrders`). Names no network. */
export type NetworkDay = { visitors: number; busiest: number; hasOrdered: boolean }

/**
 * The share of new visitors that the shop's busiest network usually has: the median of days, so that single odd days do
 * not move it. Nobody may teach the rule to look away by sending visitors for days: a large share is believed of
 * networks that order, which cannot be forged. Few shoppers of an honest one order, so its days without an order are
 * believed as far as its days with one.
 */
export function usualShare(days: readonly NetworkDay[]): number {
  const said = days.filter(({ visitors }) => visitors >= networkRule.dayVisitors)
  const most = Math.max(
    networkRule.unknownUsual,
    usually(said.filter(({ hasOrdered }) => hasOrdered).map(shareOf)),
  )
  return usually(said.map(one => (one.hasOrdered ? shareOf(one) : Math.min(shareOf(one), most))))
}

const shareOf = ({ visitors, busiest }: NetworkDay): number => busiest / visitors

/** The median, of enough days. */
function usually(shares: readonly number[]): number {
  if (shares.length < networkRule.fewestDays) return networkRule.unknownUsual
  const sorted = [...shares].sort((a, b) => a - b),
    middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Counts of this clock hour and of the one before. */
export type HourCounts = { current: number; previous: number }

/** How many there were in the hour that ends at `now`, as if those of the last clock hour had come evenly. */
export const inLastHour = ({ current, previous }: HourCounts, now: number): number =>
  current + previous * (1 - (now % hour) / hour)

/** The clock hour that an instant is in, by its first moment. */
export const hourOf = (at: number): number => Math.floor(at / hour) * hour

/** The share that a network must exceed. */
export const shareLimit = (usual: number): number =>
  Math.max(networkRule.share, networkRule.times * usual)

/** New visitors of one network and of the whole shop in the last hour; `orders`: signed orders of that network's visitors. */
export type NetworkHour = { own: number; all: number; usual: number; orders: number }

export const isUnusual = ({ own, all, usual }: Omit<NetworkHour, 'orders'>): boolean =>
  own >= networkRule.visitors && own > shareLimit(usual) * all

/** Whether a network orders as often as real shoppers do. Nobody can forge an order: the platform signs it. */
export const hasOrders = ({ visitors, orders }: { visitors: number; orders: number }): boolean =>
  orders > 0 && orders >= Math.floor(visitors / networkRule.visitorsPerOrder)

export function judgeNetwork(hour: NetworkHour): 'usual' | 'setAside' | 'warned' {
  if (!isUnusual(hour)) return 'usual'
  return hasOrders({ visitors: hour.own, orders: hour.orders }) ? 'warned' : 'setAside'
}
