import { normalQuantile } from './special.ts'

/** z for 95% two-sided and for 80% power, rounded as in docs/statistics.md. */
const twoSided = 1.96,
  power80 = 0.8416

/**
 * Visitors needed in both arms together to find a relative change of `effect` in the control's
 * mean, at 95% and 80% power:
 * (1.96 + 0.8416)² (σ_A²/w_A + σ_B²/w_B)/(δ μ_A)². `variances` are per visitor. Null when the mean
 * is 0.
 */
export function visitorsNeeded(
  mean: number,
  variances: readonly [number, number],
  weights: readonly [number, number],
  effect: number,
): number | null {
  if (!(Math.abs(mean) > 0)) return null
  return (
    ((twoSided + power80) ** 2 * (variances[0] / weights[0] + variances[1] / weights[1])) /
    (effect * mean) ** 2
  )
}

/**
 * The smallest relative change that `visitors` in both arms together can find: the same formula
 * solved for δ. Null when the mean is 0 or there are no visitors.
 */
export function smallestEffect(
  mean: number,
  variances: readonly [number, number],
  weights: readonly [number, number],
  visitors: number,
): number | null {
  const atOne = visitorsNeeded(mean, variances, weights, 1)
  return atOne === null || !(visitors > 0) ? null : Math.sqrt(atOne / visitors)
}

export type PowerCase = {
  kind: 'binary' | 'mean' | 'ratio'
  baseline: number
  sd?: number
  relativeMde: number
  alpha: number
  power: number
}

/**
 * Visitors needed per arm with equal shares: fixed horizon, two-sided alpha, variance p_A q_A + p_B
 * q_B for rates; rounded up. Null for a ratio, or when there is no answer.
 */
export function samplePerArm({
  kind,
  baseline,
  sd,
  relativeMde,
  alpha,
  power,
}: PowerCase): number | null {
  const z = (normalQuantile(1 - alpha / 2) + normalQuantile(power)) ** 2
  const change = baseline * relativeMde
  const other = baseline + change
  if (kind === 'binary' && [baseline, other].some(rate => !(rate >= 0 && rate <= 1))) return null
  const variance =
    kind === 'binary'
      ? baseline * (1 - baseline) + other * (1 - other)
      : kind === 'mean' && sd !== undefined
        ? 2 * sd * sd
        : NaN
  const size = Math.ceil((z * variance) / (change * change))
  return Number.isFinite(size) && size > 0 ? size : null
}
