import type { Comparison, MeanArm, RatioArm } from './comparison.ts'
import { normalCdf, normalPdf, normalQuantile } from './special.ts'

/** A Normal posterior of an arm's mean. `variance` is null with fewer than two visitors. */
export type Posterior = { mean: number; variance: number | null }

/** Normal(ȳ, s²/n), with n − 1 in s². Null without visitors. */
export function meanPosterior({ n, sum, sumSquares }: MeanArm): Posterior | null {
  if (!(n > 0)) return null
  return {
    mean: sum / n,
    variance: n > 1 ? Math.max(0, (sumSquares - (sum * sum) / n) / (n - 1)) / n : null,
  }
}

/**
 * Normal(R, v) with R = Σm/Σd, by the delta method, because the orders of one visitor are not
 * independent. Null without orders.
 */
export function ratioPosterior({
  n,
  mSum,
  mSumSquares,
  dSum,
  dSumSquares,
  mdSum,
}: RatioArm): Posterior | null {
  if (!(n > 0) || dSum === 0) return null
  if (n === 1) return { mean: mSum / dSum, variance: null }
  const m = mSum / n,
    d = dSum / n
  const sm = (mSumSquares - n * m * m) / (n - 1),
    sd = (dSumSquares - n * d * d) / (n - 1),
    smd = (mdSum - n * m * d) / (n - 1)
  const variance = (sm / d ** 2 + (m * m * sd) / d ** 4 - (2 * m * smd) / d ** 3) / n
  return { mean: mSum / dSum, variance: Math.max(0, variance) }
}

/**
 * Compares two Normal posteriors: Φ for the chance, Fieller's theorem for the interval of the lift.
 */
export function comparePosteriors(
  a: Posterior | null,
  b: Posterior | null,
  level: number,
): Comparison {
  const means: Comparison['means'] = [a?.mean ?? null, b?.mean ?? null]
  const lift = a && b && a.mean !== 0 ? b.mean / a.mean - 1 : null
  const [vA, vB] = [a?.variance ?? null, b?.variance ?? null]
  const spread = vA !== null && vB !== null ? Math.sqrt(vA + vB) : 0
  // Without any spread there is no comparison: all values are equal, or an arm has one visitor.
  if (!a || !b || vA === null || vB === null || spread === 0)
    return {
      chanceToWin: null,
      lift,
      interval: null,
      loss: [null, null],
      means,
      variances: [vA, vB],
    }
  const z = (b.mean - a.mean) / spread
  const excess = (d: number) => spread * normalPdf(d) + spread * d * normalCdf(d)
  const relative = (x: number) => (a.mean === 0 ? null : x / a.mean)
  return {
    chanceToWin: normalCdf(z),
    lift,
    interval: fieller([a.mean, vA], [b.mean, vB], level),
    loss: [relative(excess(z)), relative(excess(-z))],
    means,
    variances: [vA, vB],
  }
}

function fieller(
  [mA, vA]: readonly [number, number],
  [mB, vB]: readonly [number, number],
  level: number,
): Comparison['interval'] {
  const z2 = normalQuantile((1 + level) / 2) ** 2
  const denominator = mA ** 2 - z2 * vA
  if (denominator <= 0) return null
  const product = mA * mB
  // m_A² m_B² − a (m_B² − z² v_B), with the large terms cancelled by algebra, because subtracting
  // them here would lose digits.
  const root = Math.sqrt(z2 * (mB ** 2 * vA + denominator * vB))
  return [(product - root) / denominator - 1, (product + root) / denominator - 1]
}

/** For revenue per visitor and similar goals: one value per visitor, including zeros. */
export const compareMean = (control: MeanArm, variant: MeanArm, level: number): Comparison =>
  comparePosteriors(meanPosterior(control), meanPosterior(variant), level)

/**
 * For average order value and similar goals: revenue divided by orders. The unit is still the
 * visitor.
 */
export const compareRatio = (control: RatioArm, variant: RatioArm, level: number): Comparison =>
  comparePosteriors(ratioPosterior(control), ratioPosterior(variant), level)
