import type { Test } from '../../../domain/tests/ab-test.ts'
import { formatLift } from '../../../domain/figures.ts'
import type { Goal } from '../../../domain/reports/goal.ts'
import type { GoalResult } from '../../../domain/reports/summary.ts'
import type { Tone } from '../../result.tsx'

/** The result of a test in one goal. */
export const resultOf = (test: Test, goal: Goal): GoalResult =>
  test.summary.goals.find(r => r.goal === goal)!

/**
 * Results have a colour only after the verdict: before it, a lead of any size may be chance. Then
 * the primary goal has the verdict's colour, and the other goals have one when their interval
 * excludes zero.
 */
export function toneOf(test: Test, goal: Goal): Tone {
  const { kind, reachedAt } = test.summary.verdict
  if (reachedAt === null) return 'neutral'
  if (goal === test.goal) return kind === 'winner' ? 'good' : kind === 'loser' ? 'bad' : 'neutral'
  const interval = resultOf(test, goal).interval
  if (!interval) return 'neutral'
  return interval[0] > 0 ? 'good' : interval[1] < 0 ? 'bad' : 'neutral'
}

/**
 * Whether the primary goal's figure has changed since the verdict was reached. The verdict keeps
 * its figure (report-verdict.tsx), so the present one then says when it is from.
 */
export function isMovedOn(
  { goal: primary, summary: { verdict } }: Test,
  goal: Goal,
  lift: number | null,
): boolean {
  return (
    goal === primary &&
    verdict.reachedAt !== null &&
    verdict.lift !== null &&
    lift !== null &&
    formatLift(verdict.lift) !== formatLift(lift)
  )
}

/** When the present figure of a test is from, in words. */
export const whenOf = ({ status }: Test): string => (status === 'Ended' ? 'at the end' : 'today')
