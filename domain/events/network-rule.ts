import { day, hour } from '../time-units.ts'

/**
 * Decides when the visitors of one network are set aside as forged (decision 041). Anyone who knows
 * a shop's name can send forged visitors to the collector, but cannot cheaply send them from many
 * networks. Plain arithmetic, no schema.
 */

export const networkRule = {
  /**
   * A network with fewer new visitors in an hour, or a smaller share of the shop's, is never set
   * aside.
   */
  visitors: 10,
  share: 0.1,
  /** A network must exceed the usual share of the shop's busiest network by this factor. */
  times: 10,
  /**
   * The usual share until the shop has enough days of its own; the limit is then half of the hour's
   * visitors. A day whose busiest network did not order counts at most with this share, or with the
   * usual share of days with orders if that is larger.
   */
  unknownUsual: 0.05,
  /**
   * `days`: the last days that tell the usual share. `fewestDays`: how many are needed.
   * `dayVisitors`: new visitors that a day needs to count.
   */
  days: 28,
  fewestDays: 3,
  dayVisitors: 30,
  /**
   * A network with at least one order for this number of visitors orders like real shoppers and
   * only gets a warning.
   */
  visitorsPerOrder: 200,
  /**
   * `kept`: how long we keep a visitor's network, and how long a decision about a network holds.
   * `window`: the time over which visitors are counted. Milliseconds.
   */
  kept: 2 * day,
  window: hour,
} as const

/**
 * New visitors of a shop on one day: all of them, and those of the busiest network. `hasOrdered`:
 * that network ordered like real shoppers (`hasOrders`). Does not say which network it was.
 */
export type NetworkDay = { visitors: number; busiest: number; hasOrdered: boolean }

/**
 * The share of new visitors that the shop's busiest network usually has. It is the median of days,
 * so that single odd days do not move it. A forger must not be able to raise it by sending visitors
 * for days: a large share counts only when the network also ordered, because orders cannot be
 * forged. An honest network has few orders, so its days without an order count up to the share that
 * its days with orders show. `unknown`: what is usual until there are enough days.
 */
export function usualShare(
  days: readonly NetworkDay[],
  unknown: number = networkRule.unknownUsual,
): number {
  const said = days.filter(({ visitors }) => visitors >= networkRule.dayVisitors)
  const most = Math.max(
    unknown,
    usually(said.filter(({ hasOrdered }) => hasOrdered).map(shareOf), unknown),
  )
  return usually(
    said.map(one => (one.hasOrdered ? shareOf(one) : Math.min(shareOf(one), most))),
    unknown,
  )
}

const shareOf = ({ visitors, busiest }: NetworkDay): number => busiest / visitors

/** The median; `unknown` when there are too few days. */
function usually(shares: readonly number[], unknown: number): number {
  if (shares.length < networkRule.fewestDays) return unknown
  const sorted = [...shares].sort((a, b) => a - b),
    middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Counts of this clock hour and of the previous one. */
export type HourCounts = { current: number; previous: number }

/** The count in the 60 minutes before `now`, if those of the previous clock hour came evenly. */
export const inLastHour = ({ current, previous }: HourCounts, now: number): number =>
  current + previous * (1 - (now % hour) / hour)

/** The start of an instant's clock hour. Milliseconds. */
export const hourOf = (at: number): number => Math.floor(at / hour) * hour

/** The share that a network must exceed to be unusual. */
export const shareLimit = (usual: number): number =>
  Math.max(networkRule.share, networkRule.times * usual)

/**
 * `own`, `all`: new visitors of one network and of the whole shop in the last hour. `usual`: from
 * `usualShare`. `orders`: signed orders of that network's visitors.
 */
export type NetworkHour = { own: number; all: number; usual: number; orders: number }

export const isUnusual = ({ own, all, usual }: Omit<NetworkHour, 'orders'>): boolean =>
  own >= networkRule.visitors && own > shareLimit(usual) * all

/**
 * Whether a network orders as often as real shoppers. Orders cannot be forged, because the platform
 * signs them.
 */
export const hasOrders = ({ visitors, orders }: { visitors: number; orders: number }): boolean =>
  orders > 0 && orders >= Math.floor(visitors / networkRule.visitorsPerOrder)

export function judgeNetwork(hour: NetworkHour): 'usual' | 'setAside' | 'warned' {
  if (!isUnusual(hour)) return 'usual'
  return hasOrders({ visitors: hour.own, orders: hour.orders }) ? 'warned' : 'setAside'
}
