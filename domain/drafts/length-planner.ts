import type { PerArm } from '../arm.ts'
import { samplePlan, type Spread, type SamplePlan } from '../reports/estimate.ts'
import type { Goal } from '../reports/goal.ts'
import { plannedEnd } from '../tests/planned-end.ts'

/** What the planner computes with: the draft's split and start, and the shop's own figures. */
export type PlannerFacts = {
  weights: PerArm<number>
  spreads: Record<Goal, Spread | null>
  startAt: string
  /** Number of tests that share the visitors, including this one. */
  sharedBy: number
}
export type PlannerChoice = {
  goal: Goal
  minimumEffect: number
  /** Visitors a day for all tests that share them; 0 when unknown. */
  dailyVisitors: number
}

/**
 * The changes that the slider offers, in percent. Small ones are closer together, because there a
 * small step changes the length much.
 */
export const effectSteps = [
  1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 50, 60, 80, 100,
] as const
/** The changes that the table shows in addition to the chosen one, in percent. */
const tableSteps = [2, 5, 10, 15, 20, 30, 50]

/** The sample plan that a launch would make now (domain/reports/estimate.ts) with this choice. */
export function planAt(
  { weights, spreads, startAt, sharedBy }: PlannerFacts,
  { goal, minimumEffect, dailyVisitors }: PlannerChoice,
): SamplePlan & { endsAt: string } {
  const plan = samplePlan({
    goal,
    weights,
    minimumEffect,
    spread: spreads[goal],
    dailyVisitors: dailyVisitors / sharedBy,
  })
  return { ...plan, endsAt: plannedEnd(new Date(startAt), plan.days).toISOString() }
}

export type PlannerRow = ReturnType<typeof planAt> & { effect: number; isChosen: boolean }
/**
 * The rows of the table: the plan for a few changes and for the chosen one, from small to large.
 */
export function plannerRows(facts: PlannerFacts, choice: PlannerChoice): PlannerRow[] {
  const chosen = percentOf(choice.minimumEffect)
  return [...new Set([...tableSteps, chosen])]
    .toSorted((a, b) => a - b)
    .map(effect => ({
      ...planAt(facts, { ...choice, minimumEffect: effect / 100 }),
      effect,
      isChosen: effect === chosen,
    }))
}

/** The index of the step nearest to a change: the slider's position. */
export function stepOfEffect(minimumEffect: number): number {
  const percent = percentOf(minimumEffect)
  return effectSteps.reduce<number>(
    (best, step, i) =>
      Math.abs(step - percent) < Math.abs(effectSteps[best]! - percent) ? i : best,
    0,
  )
}

/** The position of a change on the slider's scale, from 0 to 1. */
export function placeOfEffect(minimumEffect: number): number {
  const percent = Math.min(100, Math.max(1, percentOf(minimumEffect))),
    after = effectSteps.findIndex(step => step >= percent)
  if (after <= 0) return 0
  const from = effectSteps[after - 1]!,
    to = effectSteps[after]!
  return (after - 1 + (percent - from) / (to - from)) / (effectSteps.length - 1)
}

/** 0.075 → 7.5 */
export const percentOf = (fraction: number): number => Number((fraction * 100).toFixed(2))
