import type { PerArm } from './arm.ts'
import { emptyTotals, missingData } from './goal-result.ts'

/**
 * How far the variant's figure is from control's: (variant − control) / control. It is no verdict and has no chance to
 * win, yet the same data gates are held as for what has: null until there are enough visitors, and enough of those whom
 * the figure is made of. Null too without a control above zero.
 */
export function plainDifference([control, variant]: PerArm<number | null>, counts: PerArm<{ visitors: number; conversions: number }>): number | null {
  const [a, b] = counts.map(({ visitors, conversions }) => ({ ...emptyTotals, visitors, buyers: conversions }))
  if (control === null || variant === null || control <= 0 || missingData('ConversionRate', [a!, b!])) return null
  return (variant - control) / control
}
