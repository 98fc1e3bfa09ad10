import type { Test } from '../../../domain/tests/ab-test.ts'
import { formatLift } from '../../../domain/figures.ts'
import type { Goal } from '../../../domain/reports/goal.ts'
import type { GoalResult } from '../../../domain/reports/summary.ts'
import type { Tone } from '../../result.tsx'

/** The result of a test in one goal. */
export const resultOf = (test: Test, goal: Goal): GoalResult =>
  test.summary.goals.find(r => r.goal === goal)!

/**
 * Colour says something only once the test has its verdict: before, a lead is a lead of chance, whatever its size.
 * Then the primary goal takes the verdict's colour and the others that of an interval clear of zero.
 */
export function toneOf(test: Test, goal: Goal): Tone {
  const { kind, reachedAt } = test.summary.verdict
  if (reachedAt === null) return 'neutral'
  if (goal === test.goal) return kind === 'winner' ? 'good' : kind === 'loser' ? 'bad' : 'neutral'
  const interval = resultOf(test, goal).interval
  if (!interval) return 'neutral'
  return interval[0] > 0 ? 'good' : interval[1] < 0 ? 'bad' : 'neutral'
}

/** The verdict keeps the figure it was reached with (report-verdict.tsx); where the goal's own has moved on, it says of when it is. */
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
