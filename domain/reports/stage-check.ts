import type { TestSummary } from './summary.ts'

/** The share of an arm's assigned visitors that were recorded; null when none were assigned. */
export const keptShare = ({
  assigned,
  recorded,
}: {
  assigned: number
  recorded: number
}): number | null => (assigned > 0 ? recorded / assigned : null)

/**
 * Whether one arm loses more of its visitors before recording than chance explains: two-proportion
 * z-test, pooled, above 3.29 (p < 0.001, the same limit as in the split check). Only visitors with
 * an exposure count: anyone can claim stages without one.
 */
export const losesUnevenly = ([control, variant]: TestSummary['stages']): boolean =>
  differ([control.recorded, metOf(control)], [variant.recorded, metOf(variant)])
const metOf = ({ met, assigned }: TestSummary['stages'][number]): number => met ?? assigned

/** The same test for any two shares, each as [part, whole]. */
export const differ = (control: Share, variant: Share): boolean => apart(control, variant) > 3.29

type Share = readonly [part: number, whole: number]
/** The distance of two shares in standard errors; 0 when there is nothing to compare. */
function apart([a, n]: Share, [b, m]: Share): number {
  if (n === 0 || m === 0) return 0
  const pooled = (a + b) / (n + m)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
  return error > 0 ? Math.abs(a / n - b / m) / error : 0
}

/** The stages through which a visitor gets into the figures, in order. */
export const stageNames = ['assigned', 'applied', 'exposed', 'recorded'] as const
export type StageName = (typeof stageNames)[number]
type Stages = TestSummary['stages']

/**
 * The share of an arm's visitors that is lost between the previous stage and this one; null at the
 * first stage, and when the previous stage had no visitors.
 */
export function lostAt(counts: Stages[number], stage: StageName): number | null {
  const before = stageNames[stageNames.indexOf(stage) - 1]
  return before && counts[before] > 0 ? Math.max(0, 1 - counts[stage] / counts[before]) : null
}

/**
 * The step at which the arms differ most, and the arm that loses more there. Null when the arms
 * lose alike (`losesUnevenly` is false).
 */
export function worstStep(stages: Stages): { from: StageName; to: StageName; arm: 0 | 1 } | null {
  if (!losesUnevenly(stages)) return null
  const steps = stageNames.slice(1).map((to, i) => {
    const from = stageNames[i]!
    return {
      from,
      to,
      gap: apart([stages[0][to], stages[0][from]], [stages[1][to], stages[1][from]]),
    }
  })
  const { from, to } = steps.toSorted((a, b) => b.gap - a.gap)[0]!
  return { from, to, arm: lostAt(stages[0], to)! > lostAt(stages[1], to)! ? 0 : 1 }
}

/**
 * The sum of an order ledger's parts minus its total, in orders and minor units. All are zero when
 * the ledger is right.
 */
export function ledgerGap({ arms, excluded, total }: TestSummary['ledger']): {
  orders: number
  amount: number
  refunds: number
} {
  const parts = [...arms, ...excluded]
  const gap = (pick: (line: { orders: number; amount: number; refunds: number }) => number) =>
    parts.reduce((sum, line) => sum + pick(line), 0) - pick(total)
  return { orders: gap(l => l.orders), amount: gap(l => l.amount), refunds: gap(l => l.refunds) }
}
