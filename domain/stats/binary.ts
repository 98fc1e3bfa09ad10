import type { BinaryArm, Comparison } from './comparison.ts'
import { betaCdf, betaPower, integrate, normalQuantile } from './special.ts'

type Beta = { a: number; b: number }
// Jeffreys' prior (docs/statistics.md): Beta(½ + x, ½ + n − x).
const posterior = ({ n, x }: BinaryArm): Beta => ({ a: x + 0.5, b: n - x + 0.5 })
const mean = ({ a, b }: Beta): number => a / (a + b)

/**
 * The range of a posterior, as angles θ with p = sin²θ: the centre, and ten standard deviations to
 * each side. One standard deviation is 1/(2√n) everywhere.
 */
function window(beta: Beta): [from: number, centre: number, to: number] {
  const centre = Math.asin(Math.sqrt(mean(beta))),
    reach = 10 / (2 * Math.sqrt(beta.a + beta.b))
  return [Math.max(0, centre - reach), centre, Math.min(Math.PI / 2, centre + reach)]
}

/**
 * The posterior mean of g(p), where g rises from 0 to 1 while r·p passes through the posterior of
 * `other`. It integrates over the angle, in which the density is bounded even for a = ½. The range
 * is cut where g bends, so that quadrature of fixed order is precise from n = 1 to 1e9.
 */
function expectation(
  { a, b }: Beta,
  other: Beta,
  r: number,
  g: (p: number, rest: number) => number,
): number {
  const [from, centre, to] = window({ a, b })
  const bends = [...window(other).map(angle => Math.sin(angle) ** 2), 1].map(p =>
    Math.asin(Math.sqrt(Math.min(1, p / r))),
  )
  const cuts = [from, centre, ...bends.filter(angle => angle > from && angle < to), to].sort(
    (x, y) => x - y,
  )
  const weighed = (angle: number) => {
    // 1 − p comes from the cosine: computed from p, it would lose its digits when nearly every
    // visitor converts.
    const sin = Math.sin(angle),
      cos = Math.cos(angle),
      p = sin * sin,
      rest = cos * cos
    const density = (2 * betaPower(a, b, p, rest)) / (sin * cos)
    return density === 0 ? 0 : density * g(p, rest)
  }
  return cuts
    .slice(1)
    .reduce((sum, cut, i) => (cut > cuts[i]! ? sum + integrate(weighed, cuts[i]!, cut) : sum), 0)
}

/**
 * P(p_B > p_A) by quadrature. When the narrower posterior is clear of 0 and 1, its angle is almost
 * Normal, and a plain sum in steps of half a standard deviation is exact to 1e-16: the product of
 * its density and the other's CDF has no frequencies that such a step misses (aliases fall as
 * exp(−2π²σ²/h²), with σ² at least half of the narrower one's).
 * Otherwise it uses `expectation`.
 */
function chance(control: Beta, variant: Beta): number {
  const isControl = control.a + control.b >= variant.a + variant.b
  const { a, b } = isControl ? control : variant
  const [from, centre, to] = window({ a, b })
  if (from === 0 || to === Math.PI / 2)
    return clamp(
      expectation(control, variant, 1, (p, rest) => betaCdf(variant.b, variant.a, rest, p)),
    )
  const steps = 20,
    step = (to - centre) / steps
  let sum = 0
  for (let i = -steps; i <= steps; i++) {
    const sin = Math.sin(centre + i * step),
      cos = Math.cos(centre + i * step),
      p = sin * sin,
      rest = cos * cos
    const beats = isControl
      ? betaCdf(variant.b, variant.a, rest, p)
      : betaCdf(control.a, control.b, p, rest)
    sum += (betaPower(a, b, p, rest) / (sin * cos)) * beats
  }
  return clamp(2 * step * sum)
}

/** E[(p_A − p_B)⁺]: with F the CDF of B, ∫ f_A(p) (p F(p) − E[p_B; p_B < p]) dp. */
function excess(first: Beta, second: Beta): number {
  const m = mean(second)
  return Math.max(
    0,
    expectation(first, second, 1, (p, rest) => {
      const cdf = betaCdf(second.a, second.b, p, rest)
      return p * cdf - m * (cdf - betaPower(second.a, second.b, p, rest) / second.a)
    }),
  )
}

/** Quantile of p_B / p_A: Newton on P(p_B ≤ r p_A) in ln r, kept inside a shrinking bracket. */
function ratioQuantile(control: Beta, variant: Beta, q: number): number {
  // Integrate over the arm whose multiple stays below 1. Over the other arm, the CDF would end in
  // the bend of a root, where quadrature loses digits.
  const below = (r: number): number =>
    r <= 1
      ? expectation(control, variant, r, p => betaCdf(variant.a, variant.b, r * p))
      : expectation(variant, control, 1 / r, p => betaCdf(control.b, control.a, 1 - p / r, p / r))
  const rising = ({ a, b }: Beta, p: number) => (p < 1 ? betaPower(a, b, p) / (1 - p) : 0)
  const slope = (r: number): number =>
    r <= 1
      ? expectation(control, variant, r, p => rising(variant, r * p))
      : expectation(variant, control, 1 / r, p => rising(control, p / r))
  // ln p is about Normal with variance (1 − m)/(n m): this start is right to a few percent.
  const spread = Math.sqrt(
    variant.b / (variant.a * (variant.a + variant.b)) +
      control.b / (control.a * (control.a + control.b)),
  )
  let u = Math.log(mean(variant) / mean(control)) + normalQuantile(q) * spread
  let low = u - 60 * spread - 1,
    high = u + 60 * spread + 1
  for (let i = 0; i < 80; i++) {
    const miss = below(Math.exp(u)) - q
    if (miss > 0) high = u
    else low = u
    let next = u - miss / slope(Math.exp(u))
    if (!(next > low && next < high)) next = (low + high) / 2
    if (Math.abs(next - u) < 1e-11) return Math.exp(next)
    u = next
  }
  return Math.exp(u)
}

/**
 * Compares two shares of visitors (0/1 goals). `level`: the level of the credible interval, 0.9 or
 * 0.95.
 */
export function compareBinary(control: BinaryArm, variant: BinaryArm, level: number): Comparison {
  const a = posterior(control),
    b = posterior(variant)
  const rate = { control: share(control), variant: share(variant) }
  const lossBy = (excessive: number) => (rate.control ? excessive / rate.control : null)
  return {
    chanceToWin: chance(a, b),
    lift: rate.control && rate.variant !== null ? rate.variant / rate.control - 1 : null,
    interval: [ratioQuantile(a, b, (1 - level) / 2) - 1, ratioQuantile(a, b, (1 + level) / 2) - 1],
    loss: [lossBy(excess(b, a)), lossBy(excess(a, b))],
    means: [rate.control, rate.variant],
    // The confidence sequence needs the variance of the observed share: v = p̂(1 − p̂)/n.
    variances: [spreadOf(control), spreadOf(variant)],
  }
}

/**
 * Only the chance to win, which is much faster to compute than the interval. For daily series and
 * breakdowns.
 */
export const binaryChance = (control: BinaryArm, variant: BinaryArm): number =>
  chance(posterior(control), posterior(variant))

const share = ({ n, x }: BinaryArm): number | null => (n > 0 ? x / n : null)
const spreadOf = ({ n, x }: BinaryArm): number | null =>
  n > 0 ? ((x / n) * (1 - x / n)) / n : null
const clamp = (p: number): number => Math.min(1, Math.max(0, p))
