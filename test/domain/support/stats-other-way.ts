/*
 * Computes the figures of docs/statistics.md by other methods than domain/stats, and shares no code
 * with it: exact recursion for the chance of two Beta arms, cumulated quadrature in logits for the
 * interval, Craig's integral for Φ, bisection for Fieller's quadratic, and variances from the
 * visitors' own values in two passes.
 */
export type Shares = { n: number; x: number }
/** A visitor's revenue m and orders d, and the number of visitors with these two values. */
export type Visitors = { m: number; d: number; times: number }[]
type Beta = { a: number; b: number }
const posterior = ({ n, x }: Shares): Beta => ({ a: x + 0.5, b: n - x + 0.5 })

/**
 * ln Γ(x) minus Stirling's (x − ½) ln x − x + ½ ln 2π: by a product for half and whole numbers
 * below 40, by the series above.
 */
function aboveStirling(x: number): number {
  if (x >= 40) return 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7)
  let gamma = x % 1 === 0 ? 1 : Math.sqrt(Math.PI)
  for (let i = x % 1 || 1; i < x; i++) gamma *= i
  return Math.log(gamma) - (x - 0.5) * Math.log(x) + x - Math.log(2 * Math.PI) / 2
}

/**
 * P(X > Y) for X ~ Beta(a, b), Y ~ Beta(c, d), where a − c and b − d are whole: ½ for equal
 * parameters; each step of a adds h/a, each step of b subtracts h/b, with h = B(a + c, b + d)/(B(a,
 * b) B(c, d)) (Cook, "Exact calculation of beta inequalities", 2005). A finite sum without
 * quadrature. The steps follow the straight line from (c, d) to (a, b), so the mean moves in one
 * direction.
 */
export function chanceBySteps({ a, b }: Beta, { a: c, b: d }: Beta): number {
  let h =
    Math.sqrt((c * d) / (c + d) / (4 * Math.PI)) *
    Math.exp(
      aboveStirling(2 * c) +
        aboveStirling(2 * d) -
        aboveStirling(2 * (c + d)) -
        2 * (aboveStirling(c) + aboveStirling(d) - aboveStirling(c + d)),
    )
  const inA = Math.abs(a - c),
    inB = Math.abs(b - d),
    upA = a > c,
    upB = b > d
  let i = c,
    j = d,
    chance = 0.5
  for (let doneA = 0, doneB = 0; doneA < inA || doneB < inB;) {
    if (doneB === inB || (doneA < inA && (doneA + 0.5) * inB <= (doneB + 0.5) * inA)) {
      if (!upA) {
        i--
        h *= ((i + c + j + d) * i) / ((i + c) * (i + j))
      }
      chance += (upA ? h : -h) / i
      if (upA) {
        h *= ((i + c) * (i + j)) / ((i + c + j + d) * i)
        i++
      }
      doneA++
    } else {
      if (!upB) {
        j--
        h *= ((i + c + j + d) * j) / ((j + d) * (i + j))
      }
      chance -= (upB ? h : -h) / j
      if (upB) {
        h *= ((j + d) * (i + j)) / ((i + c + j + d) * j)
        j++
      }
      doneB++
    }
  }
  return chance
}

/**
 * Chance to win and expected loss of the variant: E[(p_A − p_B)⁺] = E[p_A] P(A′ > B) − E[p_B] P(A >
 * B′), where ′ means one more success.
 */
export function sharesOtherWay(
  control: Shares,
  variant: Shares,
): { chance: number; loss: number | null; lift: number | null } {
  const A = posterior(control),
    B = posterior(variant),
    more = ({ a, b }: Beta) => ({ a: a + 1, b }),
    mean = ({ a, b }: Beta) => a / (a + b)
  const excess = mean(A) * chanceBySteps(more(A), B) - mean(B) * (1 - chanceBySteps(more(B), A))
  const rate = control.x / control.n
  return {
    chance: chanceBySteps(B, A),
    loss: rate ? excess / rate : null,
    lift: rate ? variant.x / variant.n / rate - 1 : null,
  }
}

const gauss8 = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
].flatMap(
  ([x, w]) =>
    [
      [x!, w!],
      [-x!, w!],
    ] as const,
)
const panel = (f: (t: number) => number, from: number, to: number): number =>
  (gauss8.reduce((sum, [x, w]) => sum + w * f((from + to) / 2 + (x * (to - from)) / 2), 0) *
    (to - from)) /
  2
const logistic = (t: number): number => 1 / (1 + Math.exp(-t))

/**
 * The density of logit p relative to its mode, so that no large numbers cancel, and the ends of the
 * panels that cover it.
 */
function inLogits({ a, b }: Beta) {
  const mode = Math.log(a / b),
    p = a / (a + b),
    q = b / (a + b),
    width = Math.sqrt(1 / a + 1 / b)
  const from = mode - 10 * width - 45 / a,
    to = mode + 10 * width + 45 / b,
    panels = Math.ceil((to - from) / Math.min(0.7 * width, 1))
  const relative = (t: number) =>
    Math.exp(-a * Math.log1p(q * Math.expm1(mode - t)) - b * Math.log1p(p * Math.expm1(t - mode)))
  const ends = Array.from({ length: panels + 1 }, (_, i) => from + ((to - from) * i) / panels)
  const total = ends.slice(1).reduce((sum, end, i) => sum + panel(relative, ends[i]!, end), 0)
  return { density: (t: number) => relative(t) / total, ends }
}

/**
 * P(p_B ≤ r p_A). For s ≤ 1 it is the integral over one arm of the other arm's CDF at s·p, a smooth
 * function. The same loop sums up the CDF.
 */
export function shareBelowRatio(control: Shares, variant: Shares, r: number): number {
  return r <= 1
    ? below(posterior(control), posterior(variant), r)
    : 1 - below(posterior(variant), posterior(control), 1 / r)
}

function below(outer: Beta, inner: Beta, s: number): number {
  const X = inLogits(outer),
    Y = inLogits(inner)
  // logit of s·p, for t = logit p: p/(1/s − p) = e^t/((1/s)(1 + e^t) − e^t).
  const scaled = (t: number) => t - Math.log(1 / s + Math.exp(t) * (1 / s - 1))
  // The inverse, when its p is below 1.
  const back = (t: number) => {
    const p = logistic(t) / s
    return p < 1 ? Math.log(logistic(t)) - Math.log(s - logistic(t)) : Infinity
  }
  const [from, to] = [X.ends[0]!, X.ends.at(-1)!]
  const ends = [...X.ends, ...Y.ends.map(back).filter(t => t > from && t < to)].sort(
    (x, y) => x - y,
  )
  let cdf = 0,
    at = Y.ends[0]!,
    sum = 0
  const upTo = (t: number): number => {
    const end = Math.min(t, Y.ends.at(-1)!)
    // The range before the first panel of X may span several panels of Y.
    for (const next of [...Y.ends.filter(e => e > at && e < end), end])
      if (next > at) [cdf, at] = [cdf + panel(Y.density, at, next), next]
    return cdf
  }
  upTo(scaled(from))
  const nodes = gauss8.toSorted(([x], [y]) => x - y)
  for (let i = 1; i < ends.length; i++) {
    const half = (ends[i]! - ends[i - 1]!) / 2,
      middle = (ends[i]! + ends[i - 1]!) / 2
    for (const [x, w] of nodes)
      sum += w * half * X.density(middle + x * half) * upTo(scaled(middle + x * half))
  }
  return sum
}

/**
 * Φ(z) by Craig's form of the tail, (1/π) ∫₀^{π/2} exp(−z²/(2 sin²θ)) dθ, and near 0 by Maclaurin's
 * series.
 */
export function phi(z: number): number {
  if (Math.abs(z) < 1) {
    let term = z,
      sum = z
    for (let k = 1; Math.abs(term) > 1e-18; k++) sum += (term *= -(z * z) / (2 * k)) / (2 * k + 1)
    return 0.5 + sum / Math.sqrt(2 * Math.PI)
  }
  const points = 200
  let sum = 0
  for (let i = 0; i < points; i++)
    sum += Math.exp(-(z * z) / (2 * Math.sin((Math.PI * (i + 0.5)) / (2 * points)) ** 2))
  return z < 0 ? sum / (2 * points) : 1 - sum / (2 * points)
}

/** The x between `low` and `high` where f turns from below to above 0. */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2
    if (f(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export type Moments = { mean: number; variance: number }
const sumOver = (visitors: Visitors, f: (m: number, d: number) => number): number =>
  visitors.reduce((sum, { m, d, times }) => sum + times * f(m, d), 0)
const spread = (visitors: Visitors, value: (m: number, d: number) => number): Moments => {
  const n = sumOver(visitors, () => 1),
    mean = sumOver(visitors, value) / n
  return { mean, variance: sumOver(visitors, (m, d) => (value(m, d) - mean) ** 2) / (n - 1) / n }
}
/** The mean of the visitors' values, and the variance of that mean. */
export const meanOf = (visitors: Visitors): Moments => spread(visitors, m => m)
/** Revenue per order, and its variance: that of the mean of (m − R d)/d̄ over visitors. */
export function ratioOf(visitors: Visitors): Moments {
  const n = sumOver(visitors, () => 1),
    orders = sumOver(visitors, (_, d) => d),
    ratio = sumOver(visitors, m => m) / orders
  return {
    mean: ratio,
    variance: spread(visitors, (m, d) => (m - ratio * d) / (orders / n)).variance,
  }
}

/** Chance, 95% interval of the lift and expected loss of two Normal arms. */
export function normalOtherWay(
  a: Moments,
  b: Moments,
): { chance: number; low: number | null; high: number | null; loss: number; lift: number } {
  const z = 1.959963984540054,
    s = Math.sqrt(a.variance + b.variance),
    ahead = (b.mean - a.mean) / s,
    ratio = b.mean / a.mean
  // Fieller: the ratios ρ for which a test of m_B = ρ m_A does not reject.
  const refused = (rho: number) =>
    Math.abs(b.mean - rho * a.mean) / Math.sqrt(b.variance + rho * rho * a.variance) - z
  const bounded = Math.abs(a.mean) / Math.sqrt(a.variance) > z
  const far = (sign: number) => {
    let step = Math.abs(ratio) + 1
    while (refused(ratio + sign * step) < 0) step *= 2
    return ratio + sign * step
  }
  // E[(μ_A − μ_B)⁺] = s ∫₀^∞ u φ(u + ahead) du.
  const from = Math.max(0, -ahead - 12)
  const tail = Array.from({ length: 60 }, (_, i) =>
    panel(u => u * Math.exp(-((u + ahead) ** 2) / 2), from + i * 0.4, from + (i + 1) * 0.4),
  ).reduce((x, y) => x + y, 0)
  return {
    chance: phi(ahead),
    lift: ratio - 1,
    loss: (s * tail) / Math.sqrt(2 * Math.PI) / a.mean,
    low: bounded ? bisect(rho => -refused(rho), far(-1), ratio) - 1 : null,
    high: bounded ? bisect(refused, ratio, far(1)) - 1 : null,
  }
}

/**
 * Upper tail of Pearson's statistic Σ O²/E − N for up to four arms, by the closed forms for 1, 2
 * and 3 degrees of freedom.
 */
export function splitOtherWay(users: number[], weights: number[]): number {
  const total = users.reduce((x, y) => x + y, 0),
    weight = weights.reduce((x, y) => x + y, 0)
  const x = Math.max(
      0,
      users.reduce((sum, n, i) => sum + n ** 2 / ((total * weights[i]!) / weight), 0) - total,
    ),
    both = 2 * phi(-Math.sqrt(x))
  return users.length === 2
    ? both
    : users.length === 3
      ? Math.exp(-x / 2)
      : both + Math.sqrt((2 * x) / Math.PI) * Math.exp(-x / 2)
}

/**
 * The fewest visitors per arm that detect a difference of `change` with this power. Found by
 * search, not by solving.
 */
export function perArmOtherWay(
  variance: number,
  change: number,
  alpha: number,
  power: number,
): number {
  const z = bisect(x => phi(x) - (1 - alpha / 2), 0, 10)
  const suffices = (n: number) => phi(Math.abs(change) * Math.sqrt(n / variance) - z) >= power
  let low = 0,
    high = 1
  while (!suffices(high)) [low, high] = [high, high * 2]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (suffices(middle)) high = middle
    else low = middle
  }
  return high
}
