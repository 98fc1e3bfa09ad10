import type { PerArm } from '../arm.ts'

/** n visitors, x of them did it. */
export type BinaryArm = { n: number; x: number }
/** n visitors and the sums of their values and of the squares. */
export type MeanArm = { n: number; sum: number; sumSquares: number }
/** n visitors, each with revenue m and orders d: sums, squares and the cross product. */
export type RatioArm = {
  n: number
  mSum: number
  mSumSquares: number
  dSum: number
  dSumSquares: number
  mdSum: number
}

/** What two arms tell (docs/statistics.md, "From data to result"). Fractions; null where there is no answer. */
export type Comparison = {
  chanceToWin: number | null
  lift: number | null
  interval: PerArm<number> | null
  /** Expected loss of choosing that arm, relative to control's mean. */
  loss: PerArm<number | null>
  means: PerArm<number | null>
  /** Variance of each mean. */
  variances: PerArm<number | null>
}
