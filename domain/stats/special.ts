/**
 * Special functions, with a relative error of about 1e-13 unless stated otherwise. Plain
 * arithmetic, so every machine gives the same figures.
 */

// ½ ln 2π.
const halfLog2Pi = 0.9189385332046727

/**
 * The error of Stirling's formula: ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π] for x > 0. Raises x to at
 * least 15, then uses the asymptotic series.
 */
function stirlingError(x: number): number {
  if (x < 15) return stirlingError(x + 1) + (x + 0.5) * Math.log1p(1 / x) - 1
  const i = 1 / (x * x)
  return (1 / 12 - i * (1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i / 1188)))) / x
}

/** ln Γ(x) for x > 0. */
export const logGamma = (x: number): number =>
  (x - 0.5) * Math.log(x) - x + halfLog2Pi + stirlingError(x)

/**
 * x·ln(x/m) + m − x without cancellation near x = m (Loader, "Fast and accurate computation of
 * binomial probabilities", 2000).
 */
function deviance(x: number, m: number): number {
  if (x === 0) return m
  if (Math.abs(x - m) > 0.1 * (x + m)) return x * Math.log(x / m) + m - x
  const v = (x - m) / (x + m)
  let sum = (x - m) * v,
    term = 2 * x * v
  for (let j = 1; j < 1000; j++) {
    term *= v * v
    const next = sum + term / (2 * j + 1)
    if (next === sum) break
    sum = next
  }
  return sum
}

/**
 * x^a (1 − x)^b / B(a, b), by Loader's saddle-point method, which is precise even when a and b are
 * 1e9 and logarithms would cancel. `rest` is 1 − x: pass it when you know it more precisely than 1
 * − x gives for x near 1.
 */
export function betaPower(a: number, b: number, x: number, rest = 1 - x): number {
  if (x <= 0 || rest <= 0) return 0
  const n = a + b
  const log =
    -deviance(a, n * x) -
    deviance(b, n * rest) +
    stirlingError(n) -
    stirlingError(a) -
    stirlingError(b)
  return Math.exp(log) * Math.sqrt((a * b) / (2 * Math.PI * n))
}

/**
 * Regularised incomplete beta I_x(a, b): the CDF of Beta(a, b). Continued fraction (DLMF 8.17.22)
 * by Lentz's method. `rest` is 1 − x.
 */
export function betaCdf(a: number, b: number, x: number, rest = 1 - x): number {
  if (x <= 0) return 0
  if (rest <= 0) return 1
  return x <= (a + 1) / (a + b + 2) ? lower(a, b, x, rest) : 1 - lower(b, a, rest, x)
}

function lower(a: number, b: number, x: number, rest: number): number {
  const front = betaPower(a, b, x, rest) / a
  if (front === 0) return 0
  let c = 1,
    d = 1 / (1 - ((a + b) * x) / (a + 1)),
    fraction = d
  for (let m = 1; m < 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + even * d)
    c = 1 + even / c
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + odd * d)
    c = 1 + odd / c
    const step = d * c
    fraction *= step
    if (Math.abs(step - 1) < 1e-15) break
  }
  return front * fraction
}

/**
 * Regularised upper incomplete gamma Q(s, x): series below s + 1, continued fraction above (DLMF
 * 8.7.1, 8.9.2).
 */
export function gammaUpper(s: number, x: number): number {
  if (x <= 0) return 1
  const front = Math.exp(s * Math.log(x) - x - logGamma(s))
  if (x < s + 1) {
    let term = 1 / s,
      sum = term
    for (let k = 1; k < 10_000 && term > sum * 1e-17; k++) sum += term *= x / (s + k)
    return 1 - front * sum
  }
  let b = x + 1 - s,
    c = 1e300,
    d = 1 / b,
    fraction = d
  for (let k = 1; k < 10_000; k++) {
    const an = -k * (k - s)
    b += 2
    d = 1 / (an * d + b)
    c = b + an / c
    const step = d * c
    fraction *= step
    if (Math.abs(step - 1) < 1e-16) break
  }
  return front * fraction
}

/** Φ(z), with full relative accuracy in the lower tail. */
export const normalCdf = (z: number): number =>
  z < 0 ? gammaUpper(0.5, (z * z) / 2) / 2 : 1 - gammaUpper(0.5, (z * z) / 2) / 2
/** φ(z). */
export const normalPdf = (z: number): number => Math.exp((-z * z) / 2 - halfLog2Pi)

/** Φ⁻¹(p) for 0 < p < 1: a first approximation, then Newton's method on the logarithm of Φ. */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p)
  if (p === 0.5) return 0
  const t = Math.sqrt(-2 * Math.log(p))
  // Abramowitz and Stegun 26.2.23, with an error of 4.5e-4; the steps below remove it.
  let z = -(
    t -
    (2.515517 + t * (0.802853 + t * 0.010328)) /
      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  )
  for (let i = 0; i < 4; i++) {
    const cdf = normalCdf(z)
    z -= (Math.log(cdf / p) * cdf) / normalPdf(z)
  }
  return z
}

/** Upper tail of chi-square with `freedom` degrees of freedom. */
export const chiSquareTail = (x: number, freedom: number): number => gammaUpper(freedom / 2, x / 2)

const nodes = legendre(32)
/** Integral of f over [from, to] by 32-point Gauss–Legendre. */
export function integrate(f: (x: number) => number, from: number, to: number): number {
  const half = (to - from) / 2,
    middle = (to + from) / 2
  let sum = 0
  for (const [x, w] of nodes) sum += w * f(middle + half * x)
  return sum * half
}

function legendre(n: number): [x: number, w: number][] {
  return Array.from({ length: n }, (_, i) => {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)),
      slope = 1
    for (let round = 0; round < 100; round++) {
      let before = 1,
        value = x
      for (let k = 2; k <= n; k++)
        [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k]
      slope = (n * (x * value - before)) / (x * x - 1)
      const step = value / slope
      x -= step
      if (Math.abs(step) < 1e-16) break
    }
    return [x, 2 / ((1 - x * x) * slope * slope)]
  })
}
