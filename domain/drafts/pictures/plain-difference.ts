import type { PerArm } from '../../arm.ts'
import { emptyTotals, missingData } from '../../reports/goal-result.ts'
import type { GoalResult } from '../../reports/summary.ts'

/**
 * How far the variant's figure is from control's: (variant − control) / control. It is no verdict and has no chance to
 * win, yet the same data gates are held as for what has: null until there are enough visitors, and enough of those whom
 * the figure is made of. Null too without a control above zero.
 */
export function plainDifference(
  [control, variant]: PerArm<number | null>,
  counts: PlainCounts,
): number | null {
  if (control === null || variant === null || control <= 0 || plainMissing(counts)) return null
  return (variant - control) / control
}

export type PlainCounts = PerArm<{ visitors: number; conversions: number }>
/** What the gates of such a figure still want, null once they are met. */
export function plainMissing(counts: PlainCounts): GoalResult['missing'] {
  const [a, b] = counts.map(({ visitors, conversions }) => ({
    ...emptyTotals,
    visitors,
    buyers: conversions,
  }))
  return missingData('ConversionRate', [a!, b!])
}
