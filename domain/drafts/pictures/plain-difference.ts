import type { PerArm } from '../../arm.ts'
import { emptyTotals, missingData } from '../../reports/goal-result.ts'
import type { GoalResult } from '../../reports/summary.ts'

/**
 * The relative difference of a figure: (variant − control) / control. It is no verdict and has no
 * chance to win, but it passes the same data gates: null until there are enough visitors and enough
 * conversions. Also null when the control is not above zero.
 */
export function plainDifference(
  [control, variant]: PerArm<number | null>,
  counts: PlainCounts,
): number | null {
  if (control === null || variant === null || control <= 0 || plainMissing(counts)) return null
  return (variant - control) / control
}

export type PlainCounts = PerArm<{ visitors: number; conversions: number }>
/** What the data gates of such a figure still need; null when they are met. */
export function plainMissing(counts: PlainCounts): GoalResult['missing'] {
  const [a, b] = counts.map(({ visitors, conversions }) => ({
    ...emptyTotals,
    visitors,
    buyers: conversions,
  }))
  return missingData('ConversionRate', [a!, b!])
}
