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

/** Control's mean and the arms' variances per visitor (σ²) of a goal. */
export type Spread = { mean: number; variances: PerArm<number> }

/** Spread of a goal in the data so far; null while an arm tells nothing. */
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
  /** What the shop's last 28 days asked for at launch, whether or not its traffic can fill that. */
  neededVisitors: number
  /** Mean of the last 7 full days' visitors in the test (`planLimits.paceDays`); null before the first such day has passed. */
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
 * When enough visitors will have come (docs/statistics.md, "Estimated completion"): max(start + 14 days, today + days), in
 * whole weeks from the start. Null beyond 90 days, with the smallest change that 28 days can find, and while the pace is not
 * known: that is no lack of traffic. Never a function of the lift.
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
  // Until the data gates are met the data so far say too little, and the plan made from the shop's last 28 days stands.
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
    // Without a spread of its own: what is needed grows with the inverse square of the change looked for.
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

// Where a shop has no history yet: a middling shop's figures, used for the plan alone and never shown as the shop's own.
// Rates are round; the money goals take a log-normal basket (sd about its mean) and 3% buyers.
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
  /** Visitors a day that would meet the test, by the last 28 days; 0 when unknown. */
  dailyVisitors: number
}

/** The plan of a test, fixed at launch. */
export type SamplePlan = {
  /** By the formula, and N*: what is needed, or where the traffic cannot fill that, what will come. */
  neededVisitors: number
  plannedVisitors: number
  /** Planned length: at least 14 days, in whole weeks. */
  days: number
  /** Days until enough visitors have come, in no whole weeks and without an end; null while the traffic is not known. */
  daysNeeded: number | null
  traffic: Estimate['traffic']
  /** With too little traffic, the smallest change that 28 days can find. */
  smallestEffect: number | null
}

/**
 * How long a test runs: the one computation behind draft, planner, check list and launch. More than 90 days of traffic
 * is not enough (docs/statistics.md); such a test is planned for the whole weeks in 90 days (84).
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
    // A plan that the traffic cannot fill is still a plan: N* is then what will come, where the sequence is to be tightest.
    plannedVisitors: Math.max(1, Math.min(needed, Math.round(dailyVisitors * days))),
    days,
    daysNeeded,
    traffic: isEnough ? 'enough' : 'notEnough',
    smallestEffect: isEnough
      ? null
      : smallestEffect(mean, variances, weights, dailyVisitors * effectDays),
  }
}
