import type { PerArm } from '../arm.ts'
import { channelLabels } from '../events/channel.ts'
import { countryName } from '../countries.ts'
import { deviceLabels } from '../device.ts'
import { binaryArm, compareArms, missingData, plus, type ArmTotals } from './goal-result.ts'
import { goals, type Goal } from './goal.ts'
import { metrics, metricValue, type Metric } from './metric.ts'
import { binaryChance } from '../stats/binary.ts'
import type { GoalResult } from './summary.ts'

/**
 * The five breakdowns (requirements 23.18 to 23.22), and the one by country (requirements 27.10): a
 * test's figures by one property of its visitors or orders.
 */
export const breakdowns = [
  'channel',
  'orderType',
  'device',
  'visitors',
  'referrer',
  'country',
] as const
export type Breakdown = (typeof breakdowns)[number]

export const orderTypes = ['oneTime', 'subscription', 'renewal'] as const
export const visitorKinds = ['new', 'returning'] as const
/**
 * Maximum number of referrers in a report: those with the most visitors. All others are one row.
 */
export const referrerLimit = 500
/** The row for visitors whose country the edge did not tell. */
export const unknownCountry = 'unknown'
export const directReferrer = '(direct)',
  otherReferrers = '(other)'

const labels: Record<Breakdown, Record<string, string>> = {
  channel: channelLabels,
  device: deviceLabels,
  orderType: { oneTime: 'One-time', subscription: 'First subscription', renewal: 'Renewal' },
  visitors: { new: 'New visitors', returning: 'Returning visitors' },
  referrer: { [directReferrer]: 'No referrer', [otherReferrers]: 'Other referrers' },
  country: { [unknownCountry]: 'Unknown' },
}

/**
 * The name of a row for the merchant. Only own properties are looked up, because a host can be
 * called "constructor".
 */
export function labelOf(breakdown: Breakdown, value: string): string {
  const own = Object.hasOwn(labels[breakdown], value) ? labels[breakdown][value] : undefined
  return own ?? (breakdown === 'country' ? countryName(value) : undefined) ?? value
}

/**
 * One arm in a row. Rates are fractions of its visitors; the order value is per order; money is in
 * minor units.
 */
export type BreakdownArm = {
  visitors: number
  sessions: number
  orders: number
  conversions: number
  revenue: number
  clicks: number
  addToCarts: number
  /** Pieces in the row's orders. */
  units: number
  conversionRate: number | null
  averageOrderValue: number | null
  revenuePerSession: number | null
  clickThroughRate: number | null
  addToCartRate: number | null
  bounceRate: number | null
  /**
   * For a money goal: the mean, with orders capped, that the row's comparison used, in minor units.
   * Null when the row is not compared, and for other goals.
   */
  inferred: number | null
}
/**
 * `missing`: what the data gates still need before the row is compared; null when they are met or
 * the row is never compared.
 */
export type BreakdownRow = {
  value: string
  label: string
  arms: PerArm<BreakdownArm>
  lift: number | null
  chanceToWin: number | null
  missing: GoalResult['missing']
}

/**
 * The ways to sort a list: by the row's name, by a figure of both arms together, or by the
 * comparison of the arms.
 */
export const breakdownSorts = [
  'value',
  'visitors',
  'sessions',
  'orders',
  'conversions',
  'revenue',
  'units',
  'clicks',
  'addToCarts',
  'conversionRate',
  'averageOrderValue',
  'revenuePerSession',
  'clickThroughRate',
  'addToCartRate',
  'bounceRate',
  'lift',
  'chanceToWin',
] as const
export type BreakdownSort = (typeof breakdownSorts)[number]

/** The ways to sort the list of products: by title, or by a figure of both arms together. */
export const productSorts = ['title', 'viewers', 'adders', 'buyers', 'units', 'revenue'] as const
export type ProductSort = (typeof productSorts)[number]

const figures: Record<Exclude<keyof BreakdownArm, 'visitors' | 'units' | 'inferred'>, Metric> = {
  sessions: 'Sessions',
  orders: 'Orders',
  conversions: 'Conversions',
  revenue: 'Revenue',
  clicks: 'Clicks',
  addToCarts: 'AddToCarts',
  conversionRate: 'ConversionRate',
  averageOrderValue: 'AverageOrderValue',
  revenuePerSession: 'RevenuePerSession',
  clickThroughRate: 'ClickThroughRate',
  addToCartRate: 'AddToCartRate',
  bounceRate: 'BounceRate',
}

const armOf = (totals: ArmTotals, units: number, inferred: number | null = null): BreakdownArm =>
  ({
    visitors: totals.visitors,
    units,
    inferred,
    ...Object.fromEntries(
      Object.entries(figures).map(([key, metric]) => [
        key,
        metrics[metric].per ? metricValue(metric, totals) : metrics[metric].counts(totals),
      ]),
    ),
  }) as BreakdownArm

/**
 * Whether rows of this breakdown can be compared on the goal. A type of order has no clicks or
 * carts of its own.
 */
export const canCompare = (breakdown: Breakdown, goal: Goal): boolean =>
  breakdown !== 'orderType' || (goal !== 'ClickThroughRate' && goal !== 'AddToCartRate')

/**
 * Compares the arms of a row on the goal, when the row meets the data gates. Rows that the change
 * cannot affect are not compared.
 */
function comparison(
  {
    breakdown,
    goal,
    isSplitBroken,
  }: Pick<BreakdownOptions, 'breakdown' | 'goal' | 'isSplitBroken'>,
  value: string,
  totals: PerArm<ArmTotals>,
): Compared {
  // A renewal happens without a choice of the visitor.
  const isOutcome =
    canCompare(breakdown, goal) && !(breakdown === 'orderType' && value === 'renewal')
  // Orders and visitors are counted up to two seconds apart, so for a moment there may be more
  // buyers than visitors.
  const isSound = totals.every(a => a.buyers <= a.visitors)
  const isComparable = !isSplitBroken && isOutcome && isSound,
    missing = isComparable ? missingData(goal, totals) : null
  if (!isComparable || missing)
    return { lift: null, chanceToWin: null, means: [null, null], missing }
  if (goals[goal].kind !== 'binary') return { ...compareArms(goal, totals), missing }
  // A row shows no interval, and computing it is the slow part of a binary comparison.
  const [a, b] = [binaryArm(goal, totals[0]), binaryArm(goal, totals[1])]
  return {
    lift: a.x === 0 ? null : b.x / b.n / (a.x / a.n) - 1,
    chanceToWin: binaryChance(a, b),
    means: [null, null],
    missing,
  }
}
type Compared = {
  lift: number | null
  chanceToWin: number | null
  means: PerArm<number | null>
  missing: GoalResult['missing']
}

type Unsorted = { value: string; totals: PerArm<ArmTotals>; units: PerArm<number> }
export type BreakdownOptions = {
  breakdown: Breakdown
  goal: Goal
  sort: BreakdownSort
  descending: boolean
  page: number
  pageSize: number
  /** False when the data do not say who saw a second page. */
  hasBounces?: boolean
  /** True when the arms must not be compared (uncompared.ts). */
  isSplitBroken?: boolean
}

/**
 * One page of the sorted rows, and the number of all rows. Rows without a value to sort by come
 * last in both directions. Equal rows are sorted by name.
 */
export function breakdownPage(
  rows: Unsorted[],
  options: BreakdownOptions,
): { rows: BreakdownRow[]; count: number } {
  const { breakdown, sort, descending, page, pageSize, hasBounces = true } = options
  const keyed = rows
    .map(row => ({
      ...row,
      compared: isCompared(sort) ? comparison(options, row.value, row.totals) : null,
    }))
    .map(row => ({
      ...row,
      key: row.compared
        ? row.compared[sort as 'lift']
        : sort === 'value'
          ? null
          : pooled(sort, row),
    }))
  const sign = descending ? -1 : 1
  const arm = (...of: Parameters<typeof armOf>): BreakdownArm => ({
    ...armOf(...of),
    ...(!hasBounces && { bounceRate: null }),
  })
  keyed.sort((a, b) =>
    sort === 'value'
      ? sign *
        (byName(labelOf(breakdown, a.value), labelOf(breakdown, b.value)) ||
          byName(a.value, b.value))
      : a.key === null || b.key === null
        ? Number(a.key === null) - Number(b.key === null) || byName(a.value, b.value)
        : sign * (a.key - b.key) || byName(a.value, b.value),
  )
  const shown = keyed
    .slice(page * pageSize, (page + 1) * pageSize)
    .map(({ value, totals, units, compared }): BreakdownRow => {
      const { lift, chanceToWin, means, missing } = compared ?? comparison(options, value, totals)
      return {
        value,
        label: labelOf(breakdown, value),
        arms: [arm(totals[0], units[0], means[0]), arm(totals[1], units[1], means[1])],
        lift,
        chanceToWin,
        missing,
      }
    })
  return { rows: shown, count: rows.length }
}

/** Whether a list is sorted by the comparison of the arms. */
export const isCompared = (sort: string): sort is 'lift' | 'chanceToWin' =>
  sort === 'lift' || sort === 'chanceToWin'
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The figure of both arms together; null with nothing to divide by. */
function pooled(sort: BreakdownSort, { totals: [a, b], units }: Unsorted): number | null {
  return armOf(plus(a, b), units[0] + units[1])[sort as keyof BreakdownArm]
}
