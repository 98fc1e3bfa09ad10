import type { GoalResult, TestSummary, Verdict } from './summary.ts'

/**
 * Arms whose split is broken are unlike groups (docs/statistics.md, "Split check"): nothing that compares them is worked out,
 * kept, shown or exported (decision 024). What each arm did by itself stays.
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

/** Said where a comparison would stand. */
export const notCompared = 'Not compared: the traffic split is broken'
export const isSplitBroken = ({ summary }: { summary: Pick<TestSummary, 'split'> }): boolean =>
  summary.split.broken
/** The same of a test of which only the verdict is known: a broken split comes before any other. */
export const isBrokenVerdict = (verdict: Pick<Verdict, 'kind'> | null): boolean =>
  verdict?.kind === 'splitBroken'
