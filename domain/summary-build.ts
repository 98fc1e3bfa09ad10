import type { PerArm } from './arm.ts'
import { estimateCompletion } from './estimate.ts'
import { armTotals, goalResult } from './goal-result.ts'
import { goalNames, type Goal } from './goal.ts'
import { brokenSplit, splitCheck } from './stats/split.ts'
import type { DayTotals, SplitCheck, TestSummary, Verdict } from './summary.ts'
import { decide } from './verdict.ts'

/** Everything a summary is made of. Instants in milliseconds. */
export type SummaryInput = {
  goal: Goal
  weights: PerArm<number>
  startAt: number | null
  /** Planned end. */
  endsAt: number | null
  endedAt: number | null
  plannedVisitors: number
  minimumEffect: number
  storedVerdict: Verdict | null
  days: DayTotals[]
  /** Visitors of the test in its last 7 full days (fewer when it is younger), and how many days those were. */
  recent: { visitors: number; days: number }
  devices: { device: string; observed: PerArm<number> }[]
  now: number
} & Pick<TestSummary, 'stages' | 'ledger' | 'bots' | 'bothArms' | 'setAside' | 'cappedOrders' | 'orderCap'>

/** What the engine stores and every screen reads of a test's result. Pure: the same input gives the same summary. */
export function summarise(input: SummaryInput): TestSummary {
  const { goal, weights, now, days } = input
  const totals = armTotals(days)
  const visitors: PerArm<number> = [totals[0].visitors, totals[1].visitors]
  const daysWithVisitors = new Set(days.filter(d => d.visitors > 0).map(d => d.day)).size
  const monthly = daysWithVisitors > 0 ? (30 * (visitors[0] + visitors[1])) / daysWithVisitors : 0
  const results = goalNames.map(name => goalResult(name, totals, monthly))
  const { result, comparison } = results[goalNames.indexOf(goal)]!
  const split = checkSplit(visitors, weights)
  const [before, after] = comparison?.means ?? [null, null]
  const [controlVariance, variantVariance] = comparison?.variances ?? [null, null]
  const verdict = decide({
    stored: input.storedVerdict, splitBroken: split.broken, isReady: result.missing === null,
    chanceToWin: result.chanceToWin, lift: result.lift,
    difference: before === null || after === null ? null : after - before,
    standardError: controlVariance === null || variantVariance === null ? null : Math.sqrt(controlVariance + variantVariance),
    visitors: visitors[0] + visitors[1], plannedVisitors: input.plannedVisitors,
    startAt: input.startAt, endsAt: input.endsAt, endedAt: input.endedAt, now,
  })
  const estimate = input.startAt === null || input.endedAt !== null ? { date: null, smallestEffect: null } : estimateCompletion({
    goal, totals, weights, minimumEffect: input.minimumEffect, plannedVisitors: input.plannedVisitors, startAt: input.startAt, now,
    dailyVisitors: input.recent.days > 0 ? input.recent.visitors / input.recent.days : 0,
  })
  return {
    visitors, goals: results.map(r => r.result), split,
    splitByDevice: input.devices.map(({ device, observed }) => ({ device, observed, p: splitCheck(observed, weights) })),
    verdict, stages: input.stages, ledger: input.ledger, bots: input.bots, bothArms: input.bothArms, setAside: input.setAside,
    cappedOrders: input.cappedOrders, orderCap: input.orderCap,
    estimatedCompletionDate: estimate.date, smallestEffect: estimate.smallestEffect,
    updatedAt: new Date(now).toISOString(),
  }
}

function checkSplit(observed: PerArm<number>, weights: PerArm<number>): SplitCheck {
  const p = splitCheck(observed, weights)
  return { observed, p, broken: p !== null && p < brokenSplit }
}
