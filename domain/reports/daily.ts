import type { PerArm } from '../arm.ts'
import type { ArmTotals } from './goal-result.ts'
import { addDay, armTotals, binaryArm, compareArms, missingData } from './goal-result.ts'
import { goals, type Goal } from './goal.ts'
import { metrics, metricValue, type Metric } from './metric.ts'
import { binaryChance } from '../stats/binary.ts'
import type { DailyPoint, DayTotals } from './summary.ts'
import { day as dayLength } from '../time-units.ts'

export type DailyInput = {
  metric: Metric
  days: readonly DayTotals[]
  /**
   * First and last day to show, YYYY-MM-DD in the shop's time zone. Days without traffic appear
   * with zeros.
   */
  from: string
  to: string
  /** Days on which the test was not running for part of the day, or for all of it. */
  paused: ReadonlyMap<string, 'partly' | 'wholly'>
  /** True when the arms must not be compared (uncompared.ts). Then no day has a chance to win. */
  isSplitBroken?: boolean
}

/** One point per day: the counts of that day, and the chance to win from all data up to its end. */
export function dailySeries({
  metric,
  days,
  from,
  to,
  paused,
  isSplitBroken = false,
}: DailyInput): DailyPoint[] {
  const { counts, per, goal } = metrics[metric]
  const byDay = Map.groupBy(days, d => d.day)
  const running = armTotals([])
  const points: DailyPoint[] = []
  for (let day = from; day <= to; day = nextDay(day)) {
    const here = byDay.get(day) ?? []
    for (const part of here) addDay(running, part)
    const today = armTotals(here)
    const arm = (a: ArmTotals) => ({
      visitors: a.visitors,
      count: counts(a),
      denominator: per && per(a),
      value: metricValue(metric, a),
    })
    points.push({
      day,
      arms: [arm(today[0]), arm(today[1])],
      chanceToWin: goal && !isSplitBroken ? runningChance(goal, running) : null,
      paused: paused.get(day) ?? 'no',
    })
  }
  return points
}

function runningChance(goal: Goal, totals: PerArm<ArmTotals>): number | null {
  if (missingData(goal, totals)) return null
  // No interval is shown here, and computing it is the slow part of a binary comparison.
  return goals[goal].kind === 'binary'
    ? binaryChance(binaryArm(goal, totals[0]), binaryArm(goal, totals[1]))
    : compareArms(goal, totals).chanceToWin
}

/** The calendar day after YYYY-MM-DD. */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayLength).toISOString().slice(0, 10)
}

/** The earlier of two days, YYYY-MM-DD. */
export const earlierDay = (day: string, other = day): string => (other < day ? other : day)
/** The later of two days, YYYY-MM-DD. */
export const laterDay = (day: string, other = day): string => (other > day ? other : day)
