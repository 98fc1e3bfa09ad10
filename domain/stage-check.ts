import type { TestSummary } from './summary.ts'

/** Share of an arm's assigned visitors that were recorded, null with none assigned. */
export const keptShare = ({ assigned, recorded }: { assigned: number; recorded: number }): number | null => (assigned > 0 ? recorded / assigned : null)

/**
 * Whether one arm loses more of its visitors between assignment and record than chance explains: two-proportion
 * z-test, pooled, beyond 3.29 (p < 0.001, the same bar as the split check).
 */
export const losesUnevenly = (stages: TestSummary['stages']): boolean =>
  differ([stages[0].recorded, stages[0].assigned], [stages[1].recorded, stages[1].assigned])

/** The same test of any two shares, each as [part, whole]. */
export function differ([a, n]: readonly [number, number], [b, m]: readonly [number, number]): boolean {
  if (n === 0 || m === 0) return false
  const pooled = (a + b) / (n + m)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
  return error > 0 && Math.abs(a / n - b / m) / error > 3.29
}

/** Sum of an order ledger's parts less its total, in orders and minor units; zero when it closes. */
export function ledgerGap({ arms, excluded, total }: TestSummary['ledger']): { orders: number; amount: number; refunds: number } {
  const parts = [...arms, ...excluded]
  const gap = (pick: (line: { orders: number; amount: number; refunds: number }) => number) => parts.reduce((sum, line) => sum + pick(line), 0) - pick(total)
  return { orders: gap(l => l.orders), amount: gap(l => l.amount), refunds: gap(l => l.refunds) }
}
