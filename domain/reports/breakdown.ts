import type { PerArm } from '../arm.ts'
import { channelLabels } from '../events/channel.ts'
import { countryName } from '../countries.ts'
import { deviceLabels } from '../device.ts'
import { binaryArm, compareArms, missingData, plus, type ArmTotals } from './goal-result.ts'
import { goals, type Goal } from './goal.ts'
import { metrics, metricValue, type Metric } from './metric.ts'
import { binaryChance } from '../stats/binary.ts'
import type { GoalResult } from './summary.ts'

/** The five breakdowns (requirements 23.18 to 23.22), and that by country (requirements 27.10): a test's figures by one thing known of its visitors or orders. */
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
/** Most referrers a report tells apart, those with the most visitors; the rest are one row. */
export const referrerLimit = 500
/** Of visitors whose country the edge did not tell. */
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

/** A row's name as the merchant reads it. A host may be called as what every object has (constructor), so only own names count. */
export function labelOf(breakdown: Breakdown, value: string): string {
  const own = Object.hasOwn(labels[breakdown], value) ? labels[breakdown][value] : undefined
  return own ?? (breakdown === 'country' ? countryName(value) : undefined) ?? value
}

/** An arm's share of a row. Rates are fractions of its visitors (of orders, for the order value), money in minor units. */
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
  /** Of a money goal, the mean (orders capped) that the row's comparison used, minor units; null where it is not compared and for the other goals. */
  inferred: number | null
}
/** `missing`: what the data gates still want of a row that would be compared. */
export type BreakdownRow = {
  value: string
  label: string
  arms: PerArm<BreakdownArm>
  lift: number | null
  chanceToWin: number | null
  missing: GoalResult['missing']
}

/** What a list may be sorted by: the row's name, a figure of both arms together, or how the arms compare on the goal. */
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

/** What the list of products may be sorted by: the title, or a figure of both arms together. */
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

/** Whether rows of this breakdown can have an outcome on the goal at all: a type of order has no clicks or carts of its own. */
export const canCompare = (breakdown: Breakdown, goal: Goal): boolean =>
  breakdown !== 'orderType' || (goal !== 'ClickThroughRate' && goal !== 'AddToCartRate')

/** Arms are compared on the goal where its data gates are met within the row; what is no experiment's outcome is not. */
function comparison(
  {
    breakdown,
    goal,
    isSplitBroken,
  }: Pick<BreakdownOptions, 'breakdown' | 'goal' | 'isSplitBroken'>,
  value: string,
  totals: PerArm<ArmTotals>,
): Compared {
  // A renewal is no choice of the visitor's.
  const isOutcome =
    canCompare(breakdown, goal) && !(breakdown === 'orderType' && value === 'renewal')
  // Visitors are counted with the write and orders up to two seconds later: for that long there may be more buyers than visitors.
  const isSound = totals.every(a => a.buyers <= a.visitors)
  const isComparable = !isSplitBroken && isOutcome && isSound,
    missing = isComparable ? missingData(goal, totals) : null
  if (!isComparable || missing)
    return { lift: null, chanceToWin: null, means: [null, null], missing }
  if (goals[goal].kind !== 'binary') return { ...compareArms(goal, totals), missing }
  // The interval is the expensive part of a binary comparison, and a row has none.
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
  /** False where nothing tells who saw a second page. */ hasBounces?: boolean
  /** The arms are unlike groups (uncompared.ts). */ isSplitBroken?: boolean
}

/** One page of the rows, sorted; rows with nothing to compare by come last either way, equal ones by name. */
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

/** Whether a list is sorted by how the arms compare. */
export const isCompared = (sort: string): sort is 'lift' | 'chanceToWin' =>
  sort === 'lift' || sort === 'chanceToWin'
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The figure over both arms. */
function pooled(sort: BreakdownSort, { totals: [a, b], units }: Unsorted): number | null {
  return armOf(plus(a, b), units[0] + units[1])[sort as keyof BreakdownArm]
}
