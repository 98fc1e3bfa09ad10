import { sequenceHalfWidth } from '../stats/sequence.ts'
import type { Verdict } from './summary.ts'
import { day as dayLength } from '../time-units.ts'

/** The rule of docs/statistics.md, "Decision". */
export const decisionRule = { winner: 0.95, loser: 0.05, earliestDay: 7, alpha: 0.05 } as const

export type DecisionInput = {
  /** The verdict that was stored when one was first reached. It is not decided again. */
  stored: Verdict | null
  splitBroken: boolean
  /** Whether the data gates are met. */
  isReady: boolean
  chanceToWin: number | null
  lift: number | null
  /**
   * For the primary goal: the variant's mean minus the control's, and its standard error. Null
   * while unknown.
   */
  difference: number | null
  standardError: number | null
  /** `visitors`: in both arms. `plannedVisitors`: N*. */
  visitors: number
  plannedVisitors: number
  /**
   * In milliseconds. `endsAt`: the planned end. `endedAt`: when the test was really ended, maybe
   * earlier.
   */
  startAt: number | null
  endsAt: number | null
  endedAt: number | null
  now: number
}

/**
 * Decides the verdict of the primary goal at this moment. A winner, loser or no-difference has
 * `reachedAt`; the caller must store it.
 */
export function decide(input: DecisionInput): Verdict {
  const { stored, splitBroken, isReady, chanceToWin, lift, startAt, endsAt } = input
  // A broken split hides even a stored verdict. The stored verdict itself is not changed.
  if (splitBroken) return { kind: 'splitBroken', reachedAt: null, lift: null, chanceToWin: null }
  if (stored?.reachedAt) return stored
  if (!isReady || chanceToWin === null || startAt === null || endsAt === null)
    return passing('collecting', input)
  const until = Math.min(input.now, input.endedAt ?? Infinity)
  const reached = (kind: 'winner' | 'loser' | 'noDifference'): Verdict => ({
    kind,
    reachedAt: new Date(until).toISOString(),
    lift,
    chanceToWin,
  })
  if (until >= endsAt)
    return reached(
      chanceToWin >= decisionRule.winner
        ? 'winner'
        : chanceToWin <= decisionRule.loser
          ? 'loser'
          : 'noDifference',
    )
  if (until - startAt < decisionRule.earliestDay * dayLength) return passing('tooEarly', input)
  const { difference, standardError, visitors, plannedVisitors } = input
  if (
    difference !== null &&
    standardError !== null &&
    standardError > 0 &&
    Math.abs(difference) >
      sequenceHalfWidth(standardError, visitors, plannedVisitors, decisionRule.alpha)
  )
    return reached(difference > 0 ? 'winner' : 'loser')
  return passing('leaning', input)
}

const passing = (kind: Verdict['kind'], { lift, chanceToWin }: DecisionInput): Verdict => ({
  kind,
  reachedAt: null,
  lift,
  chanceToWin,
})
