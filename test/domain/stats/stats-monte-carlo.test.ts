import t from 'tap'
import { calculate } from '../../../domain/stats/calculator.ts'

/** The generator sfc32, written here so that the drawn numbers never change. */
function uniforms(seed: number): () => number {
  let a = seed,
    b = 0x9e3779b9,
    c = 0x243f6a88,
    counter = 1
  const next = () => {
    const sum = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 20; i++) next()
  return () => ((next() >>> 5) * 67_108_864 + (next() >>> 6) + 0.5) / 9_007_199_254_740_992
}
const uniform = uniforms(20_261_121)
/** The Box–Muller transform. */
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
/**
 * Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Shapes below 1 use a
 * power of a uniform number.
 */
function gamma(shape: number): number {
  if (shape < 1) return gamma(shape + 1) * uniform() ** (1 / shape)
  const d = shape - 1 / 3,
    c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(),
      v = (1 + c * x) ** 3
    if (v > 0 && Math.log(uniform()) < (x * x) / 2 + d * (1 - v + Math.log(v))) return d * v
  }
}
const beta =
  ({ n, x }: { n: number; x: number }) =>
  () => {
    const hit = gamma(x + 0.5)
    return hit / (hit + gamma(n - x + 0.5))
  }
const around =
  ({ mean, sd, n }: { mean: number; sd: number; n: number }) =>
  () =>
    mean + (sd / Math.sqrt(n)) * normal()
// A ratio arm with m = 40 d + e: e has the standard deviation 25, and d is 1 order for a share q of
// n visitors, else 0.
const ratioArm = (n: number, q: number, mean: number) => ({
  n,
  m_sum: mean * q * n,
  m_sum_squares: (mean * mean + 625) * q * n,
  d_sum: q * n,
  d_sum_squares: q * n,
  m_d_sum_of_products: mean * q * n,
})
const ratioDraw = ({ n, d_sum, m_sum }: ReturnType<typeof ratioArm>) =>
  around({ mean: m_sum / d_sum, sd: Math.sqrt(((625 * n) / d_sum) * (n / (n - 1))), n })

const share = (n: number, x: number) => ({ n, x }),
  mean = (n: number, mean: number, sd: number) => ({ n, mean, sd })
type Draw = () => number
const of = (
  name: string,
  kind: string,
  control: object,
  variant: object,
  a: Draw,
  b: Draw,
  observed: number | null,
) => ({ name, kind, control, variant, a, b, observed })
const rates = (name: string, a: [number, number], b: [number, number]) => {
  const control = share(...a),
    variant = share(...b)
  return of(
    name,
    'binary',
    control,
    variant,
    beta(control),
    beta(variant),
    control.x ? control.x / control.n : null,
  )
}
const means = (name: string, a: [number, number, number], b: [number, number, number]) => {
  const control = mean(...a),
    variant = mean(...b)
  return of(name, 'mean', control, variant, around(control), around(variant), control.mean)
}
const ratios = (name: string, a: [number, number, number], b: [number, number, number]) => {
  const control = ratioArm(...a),
    variant = ratioArm(...b)
  return of(name, 'ratio', control, variant, ratioDraw(control), ratioDraw(variant), a[2])
}
const cases = [
  rates('a usual test', [5_000, 150], [5_000, 172]),
  rates('two visitors', [2, 1], [2, 0]),
  rates('nobody in control', [60, 0], [55, 3]),
  rates('everybody', [40, 40], [38, 37]),
  rates('90/10', [90_000, 2_700], [10_000, 330]),
  rates('99/1 and large', [9_900_000, 297_000], [100_000, 3_060]),
  means('revenue per visitor', [8_000, 1.5, 11], [8_000, 1.62, 12]),
  means('a wide interval', [40, 5, 10], [60, 4, 9]),
  ratios('order value', [20_000, 0.03, 61], [20_000, 0.031, 63]),
  ratios('order value, 90/10', [45_000, 0.02, 50], [5_000, 0.02, 55]),
]

t.test(
  '"ten cases agree with Monte Carlo of a fixed seed within four standard errors"',
  async t => {
    t.equal(cases.length, 10)
    const answers = calculate({
      cases: cases.map(({ name, kind, control, variant }) => ({ name, kind, control, variant })),
    }).cases as { chanceToWin: number; ciLow: number; ciHigh: number; loss: number | null }[]
    const draws = 100_000
    for (const [i, { name, a, b, observed }] of cases.entries()) {
      const got = answers[i]!
      let wins = 0,
        low = 0,
        high = 0,
        excess = 0,
        squares = 0
      for (let k = 0; k < draws; k++) {
        const p = a(),
          q = b(),
          behind = Math.max(0, p - q)
        if (q > p) wins++
        // Compares the ratio q/p without dividing; p is nearly always above 0 here.
        if (q <= (1 + got.ciLow) * p) low++
        if (q <= (1 + got.ciHigh) * p) high++
        excess += behind
        squares += behind * behind
      }
      const within = (what: string, seen: number, want: number, error: number) =>
        t.ok(
          Math.abs(seen - want) <= 4 * error,
          `${name}, ${what}: ${want.toPrecision(5)}, drawn ${seen.toPrecision(5)} ± ${error.toPrecision(2)}`,
        )
      const ofShare = (p: number) => Math.sqrt((p * (1 - p)) / draws)
      within('chance', wins / draws, got.chanceToWin, ofShare(got.chanceToWin))
      within('share below the interval', low / draws, 0.025, ofShare(0.025))
      within('share below its upper end', high / draws, 0.975, ofShare(0.975))
      if (observed === null) t.equal(got.loss, null, `${name}, no loss when a mean is 0`)
      else
        within(
          'loss',
          excess / draws / observed,
          got.loss!,
          Math.sqrt(squares / draws - (excess / draws) ** 2) / Math.sqrt(draws) / observed,
        )
    }
  },
)
