import type { PerArm } from '../domain/arm.ts'
import { spreadOf } from '../domain/reports/estimate.ts'
import {
  binaryArm,
  compareArms,
  missingData,
  type ArmTotals,
} from '../domain/reports/goal-result.ts'
import { goals, type Goal } from '../domain/reports/goal.ts'
import { binaryChance } from '../domain/stats/binary.ts'
import { smallestEffect } from '../domain/stats/power.ts'
import { decide, decisionRule, type DecisionInput } from '../domain/reports/verdict.ts'
import { day as dayLength } from '../domain/time-units.ts'
import { shop, simulatedShop, type Difference } from './simulated-shop.ts'

// npm run simulate: measures how often daily looks at a test call a winner or loser, with our rule
// and with a plain 95/5 rule.
const plan = { days: 28, runOn: 28, tests: 5000 } as const
const plannedVisitors = 2 * shop.perArmAndDay * plan.days

export type SimulatedGoal = Extract<
  Goal,
  'ConversionRate' | 'RevenuePerSession' | 'AverageOrderValue'
>
/** How a true lift of the goal is produced. */
const lifted: Record<SimulatedGoal, (lift: number) => Difference> = {
  ConversionRate: buyers => ({ buyers }),
  RevenuePerSession: buyers => ({ buyers }),
  AverageOrderValue: orders => ({ orders }),
}

type Call = 'winner' | 'loser' | 'noDifference'
/**
 * The calls of one simulated test by its planned end: by our rule and by 95/5, each with daily
 * looks, and by 95/5 with one look at the end. `late…`: the same after 28 more days of looks.
 * `lateAgain`: our rule if its verdict were decided again every day after the planned end.
 */
export type Calls = {
  ours: Call
  daily: Call
  once: Call
  lateOurs: Call
  lateDaily: Call
  lateAgain: Call
}

/**
 * Simulates `tests` tests with this true lift of the goal, for `days` days of daily looks. Returns
 * the calls of each; every run gives the same.
 */
export function simulate(
  goal: SimulatedGoal,
  tests: number,
  lift: number,
  days: number = plan.days,
): Calls[] {
  const { newTest } = simulatedShop(lifted[goal](lift))
  return Array.from({ length: tests }, () =>
    runTest(goal, newTest(goals[goal].money).nextDay, days),
  )
}

/** The share of tests in which this rule made one of the calls `kinds`. */
export const shareOf = (calls: Calls[], rule: keyof Calls, kinds: Call[]): number =>
  calls.filter(c => kinds.includes(c[rule])).length / calls.length
/** Calls that are wrong when there is no difference. */
export const falseAlarms: Call[] = ['winner', 'loser']

/**
 * The lift for which these 28 days of visitors are the planned sample
 * (docs/statistics.md, "Estimated completion", solved for δ). Uses the average over the data of a
 * hundred simulated tests.
 */
export function plannedLift(goal: SimulatedGoal): number {
  const { newTest } = simulatedShop({})
  const effects = Array.from({ length: 100 }, () => {
    const { nextDay } = newTest(goals[goal].money)
    for (let day = 1; day < plan.days; day++) nextDay()
    const { mean, variances } = spreadOf(goal, nextDay())!
    return smallestEffect(mean, variances, [0.5, 0.5], plannedVisitors)!
  })
  return effects.reduce((sum, each) => sum + each, 0) / effects.length
}

function runTest(goal: SimulatedGoal, nextDay: () => PerArm<ArmTotals>, days: number): Calls {
  let stored: DecisionInput['stored'] = null,
    daily: Call | null = null,
    again: Call | null = null,
    once: Call = 'noDifference'
  let atEnd: Pick<Calls, 'ours' | 'daily' | 'once'> | null = null
  for (let day = 1; day <= days; day++) {
    const { chanceToWin, ...figures } = look(goal, nextDay())
    const plain: Call =
      chanceToWin === null
        ? 'noDifference'
        : chanceToWin >= decisionRule.winner
          ? 'winner'
          : chanceToWin <= decisionRule.loser
            ? 'loser'
            : 'noDifference'
    if (plain !== 'noDifference') daily ??= plain
    const input = {
      splitBroken: false,
      chanceToWin,
      ...figures,
      plannedVisitors,
      startAt: 0,
      endsAt: plan.days * dayLength,
      endedAt: null,
      now: day * dayLength,
    }
    const verdict = decide({ ...input, stored })
    if (verdict.reachedAt) stored = verdict
    const fresh = day > plan.days ? decide({ ...input, stored: null }).kind : verdict.kind
    if (fresh === 'winner' || fresh === 'loser') again ??= fresh
    if (day === plan.days) {
      once = plain
      atEnd = { ours: calledBy(stored), daily: daily ?? 'noDifference', once }
    }
  }
  return {
    ...atEnd!,
    lateOurs: calledBy(stored),
    lateDaily: daily ?? 'noDifference',
    lateAgain: again ?? 'noDifference',
  }
}

const calledBy = (stored: DecisionInput['stored']): Call =>
  stored?.kind === 'winner' || stored?.kind === 'loser' ? stored.kind : 'noDifference'

/**
 * What the report would know at this moment. Leaves out the interval, which no rule needs and which
 * takes longest to compute.
 */
function look(
  goal: SimulatedGoal,
  totals: PerArm<ArmTotals>,
): Pick<
  DecisionInput,
  'chanceToWin' | 'lift' | 'difference' | 'standardError' | 'visitors' | 'isReady'
> {
  const visitors = totals[0].visitors + totals[1].visitors
  if (missingData(goal, totals))
    return {
      chanceToWin: null,
      lift: null,
      difference: null,
      standardError: null,
      visitors,
      isReady: false,
    }
  if (goals[goal].kind !== 'binary') {
    const {
      chanceToWin,
      lift,
      means: [a, b],
      variances: [v, w],
    } = compareArms(goal, totals)
    return {
      chanceToWin,
      lift,
      difference: b! - a!,
      standardError: Math.sqrt(v! + w!),
      visitors,
      isReady: true,
    }
  }
  const control = binaryArm(goal, totals[0]),
    variant = binaryArm(goal, totals[1]),
    p = control.x / control.n,
    q = variant.x / variant.n
  return {
    chanceToWin: binaryChance(control, variant),
    lift: q / p - 1,
    difference: q - p,
    standardError: Math.sqrt((p * (1 - p)) / control.n + (q * (1 - q)) / variant.n),
    visitors,
    isReady: true,
  }
}

function printGoal(goal: SimulatedGoal): void {
  const line = (title: string, calls: Calls[], rules: (keyof Calls)[], kinds: Call[]) =>
    console.log(
      `  ${title.padEnd(58)}${rules.map(rule => `${(100 * shareOf(calls, rule, kinds)).toFixed(1)}%`.padStart(17)).join('')}`,
    )
  const planned = plannedLift(goal),
    percent = (lift: number) => `+${(100 * lift).toFixed(lift === planned ? 1 : 0)}%`
  console.log(
    `\n${goals[goal].label}\n  ${' '.repeat(58)}${['our rule, daily', '95/5, daily', '95/5, at the end'].map(title => title.padStart(17)).join('')}`,
  )
  const same = simulate(goal, plan.tests, 0, plan.days + plan.runOn)
  line('False alarms by the planned end', same, ['ours', 'daily', 'once'], falseAlarms)
  line(
    `False alarms after ${plan.runOn} more days of looking`,
    same,
    ['lateOurs', 'lateDaily'],
    falseAlarms,
  )
  line('  the same, if our verdict were taken again daily', same, ['lateAgain'], falseAlarms)
  for (const lift of [planned, 0.15, 0.25])
    line(
      `Power at a true ${percent(lift)}${lift === planned ? ', what the sample is planned for' : ''}`,
      simulate(goal, plan.tests, lift),
      ['ours', 'daily', 'once'],
      ['winner'],
    )
}

if (import.meta.main) {
  console.log(`${plan.tests} tests a line, ${plan.days} days, ${shop.perArmAndDay} visitors a day and arm, ${100 * shop.buyers}% of them buy, one in ten of those twice.
False alarm: a winner or loser was called though the arms are the same. Power: a winner was called and the variant is better.
Our rule gives a verdict once, early by the confidence sequence or at the planned end; 95/5 calls as soon as the chance to
win is 95% or 5% on any day, or only on the last. The standard error of a share here is 0.7 points at most.`)
  for (const goal of Object.keys(lifted) as SimulatedGoal[]) printGoal(goal)
}
