import type { PerArm } from '../arm.ts'
import type { ArmTotals } from './goal-result.ts'
import { goalCount, meanArm, missingData, ratioArm } from './goal-result.ts'
import { goals, type Goal } from './goal.ts'
import { meanPosterior, ratioPosterior } from '../stats/normal.ts'
import { smallestEffect, visitorsNeeded } from '../stats/power.ts'
import { day as dayLength } from '../time-units.ts'

export const planLimits = {
  shortestDays: 14,
  longestDays: 90,
  weeksOf: 7,
  paceDays: 7,
  effectDays: 28,
} as const

/** For a goal: the control's mean, and both arms' variances per visitor (σ²). */
export type Spread = { mean: number; variances: PerArm<number> }

/**
 * The spread of a goal in the data so far; null while an arm has too little data or the control's
 * mean is 0.
 */
export function spreadOf(goal: Goal, totals: PerArm<ArmTotals>): Spread | null {
  const one = (a: ArmTotals) => {
    if (goals[goal].kind === 'binary') {
      const p = a.visitors > 0 ? goalCount(goal, a) / a.visitors : 0
      return { mean: p, variance: p * (1 - p) }
    }
    const posterior =
      goals[goal].kind === 'mean' ? meanPosterior(meanArm(a)) : ratioPosterior(ratioArm(a))
    return posterior && posterior.variance !== null
      ? { mean: posterior.mean, variance: posterior.variance * a.visitors }
      : null
  }
  const a = one(totals[0]),
    b = one(totals[1])
  return a && b && a.mean > 0 ? { mean: a.mean, variances: [a.variance, b.variance] } : null
}

export type EstimateInput = {
  goal: Goal
  totals: PerArm<ArmTotals>
  weights: PerArm<number>
  minimumEffect: number
  /**
   * The visitors that the formula needed at launch, from the shop's last 28 days, even if the
   * shop's traffic cannot bring them.
   */
  neededVisitors: number
  /**
   * Mean number of visitors a day in the test over the last 7 full days (`planLimits.paceDays`);
   * null before the first full day has passed.
   */
  dailyVisitors: number | null
  startAt: number
  now: number
}
export type Estimate = {
  date: string | null
  traffic: 'unknown' | 'enough' | 'notEnough'
  smallestEffect: number | null
}
export const noEstimate: Estimate = { date: null, traffic: 'unknown', smallestEffect: null }

/**
 * When enough visitors will have come (docs/statistics.md, "Estimated completion"): max(start + 14
 * days, today + days), in whole weeks from the start. `date` is null beyond 90 days, together with
 * the smallest change that 28 days can find. It is also null while the pace is unknown, which is
 * not a lack of traffic. Does not depend on the lift.
 */
export function estimateCompletion({
  goal,
  totals,
  weights,
  minimumEffect,
  neededVisitors,
  dailyVisitors,
  startAt,
  now,
}: EstimateInput): Estimate {
  // Before the data gates are met, use the plan from the shop's last 28 days, because the test has
  // too little data.
  const spread = missingData(goal, totals) ? null : spreadOf(goal, totals)
  const needed =
    (spread && visitorsNeeded(spread.mean, spread.variances, weights, minimumEffect)) ??
    neededVisitors
  const remaining = Math.max(0, needed - totals[0].visitors - totals[1].visitors)
  if (remaining > 0 && dailyVisitors === null) return noEstimate
  const pace = dailyVisitors ?? 0,
    days = remaining === 0 ? 0 : Math.ceil(remaining / pace)
  if (!(days <= planLimits.longestDays)) {
    const found = pace * planLimits.effectDays
    // Without a spread: the needed visitors grow with the inverse square of the change.
    return {
      date: null,
      traffic: 'notEnough',
      smallestEffect: spread
        ? smallestEffect(spread.mean, spread.variances, weights, found)
        : found > 0
          ? minimumEffect * Math.sqrt(needed / found)
          : null,
    }
  }
  const end = Math.max(planLimits.shortestDays * dayLength, now + days * dayLength - startAt)
  return {
    date: new Date(startAt + wholeWeeks(end)).toISOString(),
    traffic: 'enough',
    smallestEffect: null,
  }
}

const wholeWeeks = (span: number): number =>
  Math.ceil(span / (planLimits.weeksOf * dayLength) - 1e-9) * planLimits.weeksOf * dayLength

// For a shop without history: figures of an average shop. Only the plan uses them; they are never
// shown as the shop's own.
// Rates are round numbers. The money goals assume 3% buyers and a log-normal basket whose sd is
// about its mean.
const assumed: Record<Goal, Spread> = {
  ConversionRate: { mean: 0.03, variances: [0.0291, 0.0291] },
  AddToCartRate: { mean: 0.08, variances: [0.0736, 0.0736] },
  ClickThroughRate: { mean: 0.2, variances: [0.16, 0.16] },
  AverageOrderValue: { mean: 1, variances: [1 / 0.03, 1 / 0.03] },
  RevenuePerSession: { mean: 0.03, variances: [0.0591, 0.0591] },
}

export type SamplePlanInput = {
  goal: Goal
  weights: PerArm<number>
  minimumEffect: number
  /** The goal's spread in the shop's last 28 days; null with no history. */
  spread: Spread | null
  /** Visitors a day who would take part in the test, from the last 28 days; 0 when unknown. */
  dailyVisitors: number
}

/** The plan of a test, fixed at launch. */
export type SamplePlan = {
  /**
   * `neededVisitors`: by the formula. `plannedVisitors` (N*): the same, or the visitors that will
   * come when these are fewer.
   */
  neededVisitors: number
  plannedVisitors: number
  /** Planned length: at least 14 days, in whole weeks. */
  days: number
  /**
   * Days until enough visitors have come, not rounded to weeks and without a maximum; null when the
   * traffic is unknown.
   */
  daysNeeded: number | null
  traffic: Estimate['traffic']
  /** With too little traffic, the smallest change that 28 days can find. */
  smallestEffect: number | null
}

/**
 * Plans how long a test runs. Draft, planner, check list and launch all use this computation. A
 * test that would need more than 90 days has too little traffic (docs/statistics.md) and is planned
 * for the whole weeks in 90 days (84 days).
 */
export function samplePlan({
  goal,
  weights,
  minimumEffect,
  spread,
  dailyVisitors,
}: SamplePlanInput): SamplePlan {
  const { mean, variances } = spread ?? assumed[goal]
  const exact =
    visitorsNeeded(mean, variances, weights, minimumEffect) ??
    visitorsNeeded(assumed[goal].mean, assumed[goal].variances, weights, minimumEffect)!
  const needed = Math.ceil(exact),
    { shortestDays, longestDays, weeksOf, effectDays } = planLimits
  if (!(dailyVisitors > 0))
    return {
      neededVisitors: needed,
      plannedVisitors: needed,
      days: shortestDays,
      daysNeeded: null,
      traffic: 'unknown',
      smallestEffect: null,
    }
  const daysNeeded = Math.ceil(exact / dailyVisitors),
    isEnough = daysNeeded <= longestDays
  const days = isEnough
    ? Math.max(shortestDays, Math.ceil(daysNeeded / weeksOf) * weeksOf)
    : Math.floor(longestDays / weeksOf) * weeksOf
  return {
    neededVisitors: needed,
    // With too little traffic, N* is the number of visitors that will come: there the confidence
    // sequence must be tightest.
    plannedVisitors: Math.max(1, Math.min(needed, Math.round(dailyVisitors * days))),
    days,
    daysNeeded,
    traffic: isEnough ? 'enough' : 'notEnough',
    smallestEffect: isEnough
      ? null
      : smallestEffect(mean, variances, weights, dailyVisitors * effectDays),
  }
}
