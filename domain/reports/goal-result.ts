import type { PerArm } from '../arm.ts'
import { goals, type Goal } from './goal.ts'
import { compareBinary } from '../stats/binary.ts'
import { keptWithin } from '../stores/shoppers/kept.ts'
import type { BinaryArm, Comparison, MeanArm, RatioArm } from '../stats/comparison.ts'
import { compareMean, compareRatio } from '../stats/normal.ts'
import type { DayTotals, GoalResult } from './summary.ts'

/**
 * The report shows the 90% interval, because it excludes 0 exactly when the chance to win is
 * outside 5–95% (docs/statistics.md).
 */
export const reportLevel = 0.9
/**
 * The report shows no chance, lift or interval before the data reach these numbers
 * (docs/statistics.md, "Not enough data").
 */
export const dataGates = { visitorsPerArm: 100, conversions: 25, conversionsPerArm: 5 } as const

/** An arm's totals over some days. */
export type ArmTotals = Omit<DayTotals, 'day' | 'arm'>
export const emptyTotals: ArmTotals = {
  visitors: 0,
  clickers: 0,
  adders: 0,
  bounces: 0,
  sessions: 0,
  buyers: 0,
  orders: 0,
  revenue: 0,
  cappedRevenue: 0,
  cappedRevenueSquares: 0,
  orderSquares: 0,
  cappedRevenueOrders: 0,
}

/** The sum of two arms. All figures can be added. */
export function plus(a: ArmTotals, b: ArmTotals): ArmTotals {
  const sum = { ...a }
  add(sum, b)
  return sum
}

/** Sums days by arm. */
export function armTotals(days: readonly DayTotals[]): PerArm<ArmTotals> {
  const totals: PerArm<ArmTotals> = [{ ...emptyTotals }, { ...emptyTotals }]
  for (const day of days) addDay(totals, day)
  return totals
}
export function addDay(totals: PerArm<ArmTotals>, day: DayTotals): void {
  add(totals[day.arm], day)
}
function add(into: ArmTotals, more: ArmTotals): void {
  for (const key of Object.keys(emptyTotals) as (keyof ArmTotals)[]) into[key] += more[key]
}

const counted: Record<Goal, (totals: ArmTotals) => number> = {
  ConversionRate: a => a.buyers,
  AverageOrderValue: a => a.orders,
  RevenuePerSession: a => a.orders,
  ClickThroughRate: a => a.clickers,
  AddToCartRate: a => a.adders,
}
/** What the goal counts in an arm: buyers, orders, clickers or adders. */
export const goalCount = (goal: Goal, totals: ArmTotals): number => counted[goal](totals)

/** The value of a goal from raw totals: a rate, or minor units. Null with nothing to divide by. */
export function goalValue(goal: Goal, totals: ArmTotals): number | null {
  if (goal === 'AverageOrderValue') return totals.orders > 0 ? totals.revenue / totals.orders : null
  if (totals.visitors === 0) return null
  return (goals[goal].money ? totals.revenue : goalCount(goal, totals)) / totals.visitors
}

export const binaryArm = (goal: Goal, a: ArmTotals): BinaryArm => ({
  n: a.visitors,
  x: goalCount(goal, a),
})
export const meanArm = (a: ArmTotals): MeanArm => ({
  n: a.visitors,
  sum: a.cappedRevenue,
  sumSquares: a.cappedRevenueSquares,
})
export const ratioArm = (a: ArmTotals): RatioArm => ({
  n: a.visitors,
  mSum: a.cappedRevenue,
  mSumSquares: a.cappedRevenueSquares,
  dSum: a.orders,
  dSumSquares: a.orderSquares,
  mdSum: a.cappedRevenueOrders,
})

/** Compares the arms by the goal's model. Does not check the data gates. */
export function compareArms(
  goal: Goal,
  [a, b]: PerArm<ArmTotals>,
  level = reportLevel,
): Comparison {
  const kind = goals[goal].kind
  if (kind === 'binary') return compareBinary(binaryArm(goal, a), binaryArm(goal, b), level)
  return kind === 'mean'
    ? compareMean(meanArm(a), meanArm(b), level)
    : compareRatio(ratioArm(a), ratioArm(b), level)
}

/** The most bytes of comparisons, and bytes of one. */
const comparedBytes = { all: 4 * 1024 * 1024, each: 512 }
const compared = keptWithin<Comparison>(comparedBytes.all)
/**
 * The same as `compareArms`. An order changes no clicks, and a test without news is summed up
 * again each minute, so a comparison of shares, which takes milliseconds, is made once for the same
 * counts.
 */
function comparedOnce(goal: Goal, totals: PerArm<ArmTotals>): Comparison {
  if (goals[goal].kind !== 'binary') return compareArms(goal, totals)
  const key = totals.map(arm => `${arm.visitors} ${goalCount(goal, arm)}`).join()
  let comparison = compared.get(key)
  if (!comparison) compared.set(key, (comparison = compareArms(goal, totals)), comparedBytes.each)
  return comparison
}

/** What the data gates still need; null when they are met. */
export function missingData(goal: Goal, [a, b]: PerArm<ArmTotals>): GoalResult['missing'] {
  const short = (wanted: number, have: number) => Math.max(0, wanted - have)
  const visitors: PerArm<number> = [
    short(dataGates.visitorsPerArm, a.visitors),
    short(dataGates.visitorsPerArm, b.visitors),
  ]
  const counts: PerArm<number> = [goalCount(goal, a), goalCount(goal, b)]
  const conversions = short(dataGates.conversions, counts[0] + counts[1])
  const conversionsPerArm: PerArm<number> = [
    short(dataGates.conversionsPerArm, counts[0]),
    short(dataGates.conversionsPerArm, counts[1]),
  ]
  return visitors[0] + visitors[1] + conversions + conversionsPerArm[0] + conversionsPerArm[1] > 0
    ? { visitors, conversions, conversionsPerArm }
    : null
}

/**
 * The result of a goal, and its comparison, which the decision on the primary goal needs.
 * `monthly`: visitors a month in the test.
 */
export function goalResult(
  goal: Goal,
  totals: PerArm<ArmTotals>,
  monthly: number,
): { result: GoalResult; comparison: Comparison | null } {
  const missing = missingData(goal, totals)
  const comparison = missing ? null : comparedOnce(goal, totals)
  const month = moneyPerMonth(goal, totals, monthly)
  const control = comparison?.means[0] ?? null
  const arm = (i: 0 | 1): GoalResult['arms'][number] => {
    const loss = comparison?.loss[i] ?? null
    return {
      visitors: totals[i].visitors,
      count: goalCount(goal, totals[i]),
      value: goalValue(goal, totals[i]),
      inferred: comparison?.means[i] ?? null,
      loss,
      lossPerMonth:
        loss === null || control === null || month === null ? null : loss * control * month,
    }
  }
  return {
    comparison,
    result: {
      goal,
      arms: [arm(0), arm(1)],
      chanceToWin: comparison?.chanceToWin ?? null,
      lift: comparison?.lift ?? null,
      interval: comparison?.interval ?? null,
      missing,
    },
  }
}

/**
 * How many minor units a month one unit of the goal's mean is worth, for all visitors in the test.
 * Null for CTR and ACR, and without visitors or orders.
 */
function moneyPerMonth(
  goal: Goal,
  [a, b]: PerArm<ArmTotals>,
  monthlyVisitors: number,
): number | null {
  const visitors = a.visitors + b.visitors,
    orders = a.orders + b.orders
  if (visitors === 0 || orders === 0) return null
  if (goal === 'RevenuePerSession') return monthlyVisitors
  if (goal === 'AverageOrderValue') return (monthlyVisitors * orders) / visitors
  // The value of a buyer is the average revenue per buyer.
  if (goal === 'ConversionRate')
    return a.buyers + b.buyers > 0
      ? (monthlyVisitors * (a.revenue + b.revenue)) / (a.buyers + b.buyers)
      : null
  return null
}
