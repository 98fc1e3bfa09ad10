import type { GoalResult, TestSummary, Verdict } from './summary.ts'

/**
 * Removes the comparison from a result. When the split is broken, the arms are different groups of
 * people (docs/statistics.md, "Split check"), so nothing that compares them is computed, stored,
 * shown or exported (decision 024). The figures of each single arm stay.
 */
export function withoutComparison({ arms: [control, variant], ...result }: GoalResult): GoalResult {
  const alone = (arm: GoalResult['arms'][number]) => ({
    ...arm,
    inferred: null,
    loss: null,
    lossPerMonth: null,
  })
  return {
    ...result,
    arms: [alone(control), alone(variant)],
    chanceToWin: null,
    lift: null,
    interval: null,
  }
}

/** Shown in place of a comparison. */
export const notCompared = 'Not compared: the traffic split is broken'
export const isSplitBroken = ({ summary }: { summary: Pick<TestSummary, 'split'> }): boolean =>
  summary.split.broken
/** The same when only the verdict is known: a broken split comes before any other verdict. */
export const isBrokenVerdict = (verdict: Pick<Verdict, 'kind'> | null): boolean =>
  verdict?.kind === 'splitBroken'
