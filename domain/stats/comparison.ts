import type { PerArm } from '../arm.ts'

/** n visitors; x of them did what the goal counts. */
export type BinaryArm = { n: number; x: number }
/** n visitors, the sum of their values, and the sum of the squares. */
export type MeanArm = { n: number; sum: number; sumSquares: number }
/**
 * n visitors, each with revenue m and orders d: sums, sums of squares, and the sum of the products
 * m·d.
 */
export type RatioArm = {
  n: number
  mSum: number
  mSumSquares: number
  dSum: number
  dSumSquares: number
  mdSum: number
}

/**
 * The comparison of two arms (docs/statistics.md, "From data to result"). Lift, interval and loss
 * are fractions. Null when there is no answer.
 */
export type Comparison = {
  chanceToWin: number | null
  lift: number | null
  interval: PerArm<number> | null
  /** Expected loss of choosing that arm, relative to the control's mean. */
  loss: PerArm<number | null>
  means: PerArm<number | null>
  /** Variance of each mean. */
  variances: PerArm<number | null>
}
