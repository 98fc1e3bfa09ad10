import type { Comparison, MeanArm, RatioArm } from './comparison.ts'
import { normalCdf, normalPdf, normalQuantile } from './special.ts'

type Posterior = { mean: number; variance: number } | null

/** Normal(ȳ, s²/n), s² with n − 1. Null below two visitors. */
export function meanPosterior({ n, sum, sumSquares }: MeanArm): Posterior {
  if (!(n > 1)) return null
  return { mean: sum / n, variance: Math.max(0, (sumSquares - (sum * sum) / n) / (n - 1)) / n }
}

/** Normal(R, v), R = Σm/Σd, by the delta method: orders of one visitor are not independent. Null without orders. */
export function ratioPosterior({ n, mSum, mSumSquares, dSum, dSumSquares, mdSum }: RatioArm): Posterior {
  if (!(n > 1) || dSum === 0) return null
  const m = mSum / n, d = dSum / n
  const sm = (mSumSquares - n * m * m) / (n - 1), sd = (dSumSquares - n * d * d) / (n - 1), smd = (mdSum - n * m * d) / (n - 1)
  const variance = (sm / d ** 2 + (m * m * sd) / d ** 4 - (2 * m * smd) / d ** 3) / n
  return { mean: mSum / dSum, variance: Math.max(0, variance) }
}

/** Compares two Normal posteriors: Φ for the chance, Fieller's theorem for the interval of the lift. */
function compare(a: Posterior, b: Posterior, level: number): Comparison {
  const means: Comparison['means'] = [a?.mean ?? null, b?.mean ?? null]
  const variances: Comparison['variances'] = [a?.variance ?? null, b?.variance ?? null]
  const lift = a && b && a.mean !== 0 ? b.mean / a.mean - 1 : null
  const spread = a && b ? Math.sqrt(a.variance + b.variance) : 0
  // Without any spread there is nothing to judge by: two arms of equal values, or one visitor each.
  if (!a || !b || spread === 0) return { chanceToWin: null, lift, interval: null, loss: [null, null], means, variances }
  const z = (b.mean - a.mean) / spread
  const excess = (d: number) => spread * normalPdf(d) + spread * d * normalCdf(d)
  const relative = (x: number) => (a.mean === 0 ? null : x / a.mean)
  return { chanceToWin: normalCdf(z), lift, interval: fieller(a, b, level), loss: [relative(excess(z)), relative(excess(-z))], means, variances }
}

function fieller(a: NonNullable<Posterior>, b: NonNullable<Posterior>, level: number): Comparison['interval'] {
  const z2 = normalQuantile((1 + level) / 2) ** 2
  const denominator = a.mean ** 2 - z2 * a.variance
  if (denominator <= 0) return null
  const product = a.mean * b.mean
  const root = Math.sqrt(Math.max(0, product ** 2 - denominator * (b.mean ** 2 - z2 * b.variance)))
  return [(product - root) / denominator - 1, (product + root) / denominator - 1]
}

/** Revenue per visitor and its like: values per visitor, zeros included. */
export const compareMean = (control: MeanArm, variant: MeanArm, level: number): Comparison =>
  compare(meanPosterior(control), meanPosterior(variant), level)

/** Average order value and its like: revenue over orders, the visitor being the unit. */
export const compareRatio = (control: RatioArm, variant: RatioArm, level: number): Comparison =>
  compare(ratioPosterior(control), ratioPosterior(variant), level)
