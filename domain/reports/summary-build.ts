import type { ArmIndex, PerArm } from '../arm.ts'
import { estimateCompletion, noEstimate } from './estimate.ts'
import { armTotals, type ArmTotals, goalResult, plus } from './goal-result.ts'
import { goalNames, type Goal } from './goal.ts'
import { type SpeedCounts, speedMetrics, type SpeedMetric, speedQuantile } from './speed.ts'
import { brokenSplit, splitCheck } from '../stats/split.ts'
import type { DayTotals, SpeedRow, SplitCheck, TestSummary, Verdict, WithBots } from './summary.ts'
import { withoutComparison } from './uncompared.ts'
import { decide } from './verdict.ts'
import { day } from '../time-units.ts'

/** Everything that a summary is computed from. Instants are in milliseconds. */
export type SummaryInput = {
  goal: Goal
  weights: PerArm<number>
  startAt: number | null
  /** Planned end. */
  endsAt: number | null
  endedAt: number | null
  plannedVisitors: number
  /**
   * The visitors that the formula needed at launch. Left out for tests that were launched before we
   * stored it.
   */
  neededVisitors?: number | null
  minimumEffect: number
  storedVerdict: Verdict | null
  days: DayTotals[]
  /**
   * Visitors of the test in the last 7 full days that it ran (fewer when it is younger), and the
   * number of those days.
   */
  recent: { visitors: number; days: number }
  /** How long the test has run, without pauses. Milliseconds. */
  ranFor: number
  devices: { device: string; observed: PerArm<number> }[]
  /**
   * Totals of visitors that are left out only because they are flagged as bots, not also because
   * they met both arms.
   */
  botTotals: PerArm<ArmTotals>
  now: number
} & Pick<
  TestSummary,
  | 'stages'
  | 'ledger'
  | 'bots'
  | 'bothArms'
  | 'setAside'
  | 'consented'
  | 'speed'
  | 'aside'
  | 'charges'
  | 'cappedOrders'
  | 'orderCap'
>

const month = 30 * day

/**
 * Computes the summary of a test's result. The engine stores it, and every screen reads it. Pure:
 * the same input gives the same summary.
 */
export function summarise(input: SummaryInput): TestSummary {
  const { goal, weights, now, days } = input
  const totals = armTotals(days)
  const visitors: PerArm<number> = [totals[0].visitors, totals[1].visitors]
  const monthly = input.ranFor > 0 ? ((visitors[0] + visitors[1]) * month) / input.ranFor : 0
  const results = goalNames.map(name => goalResult(name, totals, monthly))
  const split = checkSplit(visitors, weights)
  const verdict = verdictOf(input, results[goalNames.indexOf(goal)]!, split, input.storedVerdict)
  const estimate =
    input.startAt === null || input.endedAt !== null
      ? noEstimate
      : estimateCompletion({
          goal,
          totals,
          weights,
          minimumEffect: input.minimumEffect,
          neededVisitors: input.neededVisitors ?? input.plannedVisitors,
          startAt: input.startAt,
          now,
          dailyVisitors: input.recent.days > 0 ? input.recent.visitors / input.recent.days : null,
        })
  return {
    visitors,
    goals: results.map(({ result }) => (split.broken ? withoutComparison(result) : result)),
    split,
    splitByDevice: input.devices.map(({ device, observed }) => ({
      device,
      observed,
      p: splitCheck(observed, weights),
    })),
    verdict,
    stages: input.stages,
    ledger: input.ledger,
    bots: input.bots,
    bothArms: input.bothArms,
    setAside: input.setAside,
    ...(input.aside && { aside: input.aside }),
    ...(input.charges && { charges: input.charges }),
    withBots: withBots(input, totals),
    consented: input.consented,
    speed: input.speed,
    cappedOrders: input.cappedOrders,
    orderCap: input.orderCap,
    estimatedCompletionDate: estimate.date,
    traffic: estimate.traffic,
    smallestEffect: estimate.smallestEffect,
    updatedAt: new Date(now).toISOString(),
  }
}

/** A summary's rows of page speed: one per measure, from the page views counted in each arm. */
export const speedRows = (
  counted: (metric: SpeedMetric, arm: ArmIndex) => SpeedCounts,
): SpeedRow[] =>
  speedMetrics.map(metric => {
    const arm = (index: ArmIndex) => {
      const counts = counted(metric, index)
      return {
        pages: [...counts.values()].reduce((sum, n) => sum + n, 0),
        p75: speedQuantile(counts),
      }
    }
    return { metric, arms: [arm(0), arm(1)] }
  })

function verdictOf(
  input: SummaryInput,
  { result, comparison }: ReturnType<typeof goalResult>,
  { observed, broken }: SplitCheck,
  stored: Verdict | null,
): Verdict {
  const [before, after] = comparison?.means ?? [null, null]
  const [controlVariance, variantVariance] = comparison?.variances ?? [null, null]
  return decide({
    stored,
    splitBroken: broken,
    isReady: result.missing === null,
    chanceToWin: result.chanceToWin,
    lift: result.lift,
    difference: before === null || after === null ? null : after - before,
    standardError:
      controlVariance === null || variantVariance === null
        ? null
        : Math.sqrt(controlVariance + variantVariance),
    visitors: observed[0] + observed[1],
    plannedVisitors: input.plannedVisitors,
    startAt: input.startAt,
    endsAt: input.endsAt,
    endedAt: input.endedAt,
    now: input.now,
  })
}

/** The result by the same rules when bots count as visitors; null without bots. */
function withBots(input: SummaryInput, humans: PerArm<ArmTotals>): WithBots | null {
  const { goal, weights, botTotals } = input
  if (botTotals[0].visitors + botTotals[1].visitors === 0) return null
  const totals: PerArm<ArmTotals> = [plus(humans[0], botTotals[0]), plus(humans[1], botTotals[1])]
  const split = checkSplit([totals[0].visitors, totals[1].visitors], weights)
  const { kind, chanceToWin, lift } = verdictOf(input, goalResult(goal, totals, 0), split, null)
  return { visitors: split.observed, chanceToWin, lift, kind }
}

function checkSplit(observed: PerArm<number>, weights: PerArm<number>): SplitCheck {
  const p = splitCheck(observed, weights)
  return { observed, p, broken: p !== null && p < brokenSplit }
}
