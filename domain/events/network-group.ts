import { day } from '../time-units.ts'
import { type NetworkDay, usualShare } from './network-rule.ts'

/**
 * Decides when the busiest one to five networks of the last day are set aside together (decision
 * 061). A forger who uses a few networks keeps each of them below the limit of `networkRule`, but
 * must still send many visitors, and none of them orders. Plain arithmetic, no schema.
 */
export const groupRule = {
  /** Up to this many networks are judged together. */
  size: 5,
  /** Together they must have at least this many new visitors within `window`. Milliseconds. */
  visitors: 50,
  window: day,
  /**
   * How many times the usual odds their share must exceed. A smaller usual share counts as
   * `fewest`, or for one network as `fewestAlone`: on a quiet day a campaign or an office may
   * double the traffic, often through one network.
   */
  times: 3,
  fewest: 0.3,
  fewestAlone: 0.5,
  /**
   * The usual share until the shop has enough days of its own; the limit is then three quarters. A
   * day on which these networks did not order counts at most with this share.
   */
  unknownUsual: 0.5,
  /** A day's busiest networks ordered if those that did bring this part of their visitors. */
  ordering: 0.5,
  /**
   * A network with less than this part of the group's busiest stays counted: it may be an honest
   * one that is next in size.
   */
  part: 0.25,
  /** A shop is judged again when the visitors of its clock hour have grown by this factor. */
  growth: 1.05,
} as const

/** New visitors of a network; `hasOrdered`: it orders like real shoppers (`hasOrders`). */
export type NetworkVisitors = { visitors: number; hasOrdered: boolean }

/**
 * A day of a shop: all new visitors, those of its one, two, … five busiest networks together, and
 * whether these networks ordered.
 */
export type GroupDay = {
  visitors: number
  together: readonly number[]
  hasOrdered: readonly boolean[]
}

/** Makes a day's sums. `busiest`: its busiest networks, in falling order. */
export function groupDay(
  busiest: readonly NetworkVisitors[],
): Pick<GroupDay, 'together' | 'hasOrdered'> {
  const together: number[] = [],
    hasOrdered: boolean[] = []
  let sum = 0,
    ordering = 0
  for (let i = 0; i < groupRule.size; i++) {
    const one = busiest[i]
    sum += one?.visitors ?? 0
    ordering += one?.hasOrdered ? one.visitors : 0
    together.push(sum)
    hasOrdered.push(sum > 0 && ordering >= groupRule.ordering * sum)
  }
  return { together, hasOrdered }
}

/** The usual shares of a shop's one, two, … five busiest networks together. */
export const usualShares = (days: readonly GroupDay[]): number[] =>
  Array.from({ length: groupRule.size }, (_, i) =>
    usualShare(
      days.map(({ visitors, together, hasOrdered }): NetworkDay => ({
        visitors,
        busiest: together[i]!,
        hasOrdered: hasOrdered[i]!,
      })),
      groupRule.unknownUsual,
    ),
  )

/** The share that `count` networks together must exceed: three times the usual odds. */
export function groupLimit(usual: number, count: number): number {
  const { times, fewest, fewestAlone } = groupRule,
    share = Math.max(count === 1 ? fewestAlone : fewest, usual)
  return (times * share) / (1 + (times - 1) * share)
}

/**
 * How many of these networks exceed their limit together: the fewest that do, or 0.
 * `counts`: new visitors of the busiest networks, in falling order. `all`: those of the shop.
 */
export function unusualTogether(
  counts: readonly number[],
  all: number,
  usuals: readonly number[],
): number {
  let sum = 0
  for (let i = 0; i < Math.min(groupRule.size, counts.length); i++) {
    sum += counts[i]!
    if (sum >= groupRule.visitors && sum > groupLimit(usuals[i]!, i + 1) * all) return i + 1
  }
  return 0
}

/** Which networks of a group that exceeds its limit are set aside. */
export const groupAside = <N extends { visitors: number }>(group: readonly N[]): N[] =>
  group.filter(({ visitors }) => visitors >= groupRule.part * group[0]!.visitors)

/**
 * Whether a shop is judged again, when its visitors of this clock hour grew from `before` to
 * `after`. Judging at every visitor would read the same counts too often.
 */
export const isLook = (before: number, after: number): boolean => stepOf(after) > stepOf(before)
const stepOf = (visitors: number) =>
  visitors > 0 ? Math.floor(Math.log(visitors) / Math.log(groupRule.growth)) : -1
