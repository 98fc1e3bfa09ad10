import t from 'tap'
import { calculate } from '../../../domain/stats/calculator.ts'
import {
  meanOf,
  normalOtherWay,
  perArmOtherWay,
  ratioOf,
  shareBelowRatio,
  sharesOtherWay,
  splitOtherWay,
  type Shares,
  type Visitors,
} from '../support/stats-other-way.ts'

type Answer = {
  name: string
  chanceToWin: number | null
  expectedLift: number | null
  ciLow: number | null
  ciHigh: number | null
  loss: number | null
}
type Pair<T> = { name: string; control: T; variant: T }
/** Asks the calculator in its JSON form, like a person who pipes a file through it. */
const ask = (input: object) =>
  JSON.parse(JSON.stringify(calculate(JSON.parse(JSON.stringify(input))))) as {
    cases: Answer[]
    srm: { name: string; p: number | null }[]
    power: { perArm: number | null; days: number | null }[]
  }

/** The largest difference seen so far, by figure. */
const worst = new Map<string, { off: number; name: string }>()
const met = (what: string, off: number, name: string) => {
  if (!(off <= (worst.get(what)?.off ?? -1))) worst.set(what, { off, name })
}
/**
 * The difference is relative above 1 and absolute below: a lift of 1e6 has as many digits as a lift
 * of 1.
 */
const compare = (what: string, got: number | null, want: number | null, name: string) =>
  met(
    what,
    got === null || want === null
      ? got === want
        ? 0
        : Infinity
      : Math.abs(got - want) / Math.max(1, Math.abs(want)),
    name,
  )

// Tiny counts, no conversions and only conversions, equal, 90/10 and 99/1 splits, up to 1e7
// visitors, and lifts of all sizes.
const sizes = [1, 2, 3, 7, 25, 110, 1_000, 25_000, 400_000],
  splits = [
    [0.5, 0.5],
    [0.9, 0.1],
    [0.1, 0.9],
    [0.99, 0.01],
  ] as const
const rates = [
  [0, 1],
  [1, 0],
  [0.03, 0.033],
  [0.5, 0.48],
] as const
const shares: Pair<Shares>[] = sizes.flatMap(size =>
  splits.flatMap(([a, b]) =>
    rates.map(([p, q]) => {
      const arm = (share: number, rate: number) => {
        const n = Math.max(1, Math.round(2 * size * share))
        return { n, x: Math.round(n * rate) }
      }
      const pair = { control: arm(a, p), variant: arm(b, q) }
      return { name: `${size} ${a}/${b} ${p} ${q}`, ...pair }
    }),
  ),
)
for (const [control, variant] of [
  [
    [1e7, 300_000],
    [1e7, 300_900],
  ],
  [
    [9e6, 270_000],
    [1e6, 30_300],
  ],
  [
    [1e7, 0],
    [1e7, 3],
  ],
  [
    [1e7, 1e7],
    [1e7, 1e7 - 2],
  ],
  [
    [1e7, 5],
    [30, 0],
  ],
  [
    [9.9e6, 198_000],
    [1e5, 2_080],
  ],
] as const)
  shares.push({
    name: `${control} ${variant}`,
    control: { n: control[0], x: control[1] },
    variant: { n: variant[0], x: variant[1] },
  })

/**
 * Visitors of an arm: `buyers` of n, spread over five baskets, one of them with two orders. All are
 * whole numbers, so sums are exact.
 */
function visitors(n: number, buyers: number, times: number): Visitors {
  const parts = [
    { m: 1900, d: 1 },
    { m: 2500, d: 1 },
    { m: 4200, d: 1 },
    { m: 7700, d: 2 },
    { m: 21_000, d: 1 },
  ]
  const bought = parts.map(({ m, d }, i) => ({
    m: Math.round(m * times),
    d,
    times: Math.floor((buyers + i) / parts.length),
  }))
  return [...bought, { m: 0, d: 0, times: n - buyers }].filter(each => each.times > 0)
}
const lifts = [1, 1.03, 0.7, 40]
const money: Pair<Visitors>[] = [2, 10, 300, 20_000, 5_000_000].flatMap(size =>
  splits.flatMap(([a, b]) =>
    lifts.map(lift => {
      const arm = (share: number, times: number) => {
        const n = Math.max(3, Math.round(2 * size * share))
        return visitors(n, Math.max(2, Math.round(n * (size < 100 ? 0.6 : 0.03))), times)
      }
      return { name: `${size} ${a}/${b} ×${lift}`, control: arm(a, 1), variant: arm(b, lift) }
    }),
  ),
)
const sums = (visitors: Visitors) => {
  const over = (f: (m: number, d: number) => number) =>
    visitors.reduce((sum, { m, d, times }) => sum + times * f(m, d), 0)
  return {
    n: over(() => 1),
    m_sum: over(m => m),
    m_sum_squares: over(m => m * m),
    d_sum: over((_, d) => d),
    d_sum_squares: over((_, d) => d * d),
    m_d_sum_of_products: over((m, d) => m * d),
  }
}
const asMean = (visitors: Visitors) => {
  const { n, m_sum, m_sum_squares } = sums(visitors)
  return { n, sum: m_sum, sum_squares: m_sum_squares }
}

const answers = (kind: string, pairs: Pair<object>[]): Answer[] =>
  ask({ cases: pairs.map(pair => ({ kind, weights: [0.9, 0.1], note: 'ignored', ...pair })) }).cases

t.test(
  '0/1 goals: chance and loss by exact recursion, the interval by quadrature in logits',
  async () => {
    for (const [i, got] of answers('binary', shares).entries()) {
      const { name, control, variant } = shares[i]!
      const want = sharesOtherWay(control, variant)
      compare('chance, 0/1', got.chanceToWin, want.chance, name)
      compare('lift, 0/1', got.expectedLift, want.lift, name)
      compare('loss, 0/1', got.loss, want.loss, name)
      for (const [end, level] of [
        [got.ciLow, 0.025],
        [got.ciHigh, 0.975],
      ] as const) {
        const ratio = 1 + end!,
          at = shareBelowRatio(control, variant, ratio)
        met('share below an interval end', Math.abs(at - level), name)
        // How far the end must move for the right share, estimated by the slope.
        const slope = (shareBelowRatio(control, variant, ratio * 1.0001) - at) / (ratio * 0.0001)
        met('interval, 0/1', Math.abs(at - level) / slope / Math.max(1, Math.abs(end!)), name)
      }
    }
  },
)

t.test(
  'money goals: two-pass variances from the visitors themselves, Φ by Craig, Fieller by bisection',
  async () => {
    for (const [kind, arm, moments] of [
      ['mean', asMean, meanOf],
      ['ratio', sums, ratioOf],
    ] as const)
      for (const [i, got] of answers(
        kind,
        money.map(({ name, control, variant }) => ({
          name,
          control: arm(control),
          variant: arm(variant),
        })),
      ).entries()) {
        const { name, control, variant } = money[i]!
        const want = normalOtherWay(moments(control), moments(variant))
        compare(`chance, ${kind}`, got.chanceToWin, want.chance, name)
        compare(`lift, ${kind}`, got.expectedLift, want.lift, name)
        compare(`loss, ${kind}`, got.loss, want.loss, name)
        compare(`interval, ${kind}`, got.ciLow, want.low, name)
        compare(`interval, ${kind}`, got.ciHigh, want.high, name)
      }
    // The same arms given by mean and standard deviation instead of sums.
    const given = (visitors: Visitors, by: 'sd' | 'variance') => {
      const { n } = sums(visitors),
        { mean, variance } = meanOf(visitors)
      return { n, mean, [by]: by === 'sd' ? Math.sqrt(variance * n) : variance * n }
    }
    const bySums = answers(
      'mean',
      money.map(({ name, control, variant }) => ({
        name,
        control: asMean(control),
        variant: asMean(variant),
      })),
    )
    for (const [i, got] of answers(
      'mean',
      money.map(({ name, control, variant }) => ({
        name,
        control: given(control, 'sd'),
        variant: given(variant, 'variance'),
      })),
    ).entries())
      for (const key of ['chanceToWin', 'expectedLift', 'ciLow', 'ciHigh', 'loss'] as const)
        compare('sums or spread', got[key], bySums[i]![key], got.name)
  },
)

t.test('split check and sample sizes equal those computed the other way', async t => {
  const splitCases = [
    [1, 0],
    [3, 1],
    [10, 10],
    [98, 120],
    [5000, 5200],
    [900_000, 100_900],
    [9_901_000, 100_100],
    [33, 35, 41],
    [1e6, 1_001_500, 999_000],
    [5, 9, 2, 4],
    [2.5e6, 2.5e6, 2_503_000, 2.5e6],
  ].flatMap(users =>
    [
      users.map(() => 1),
      users.map((n, i) => Math.max(1, n) * (1 + 0.01 * i)),
      users.map((_, i) => (i ? 10 : 90)),
    ].map(weights => ({ name: `${users} by ${weights}`, users, weights })),
  )
  for (const [i, { name, p }] of ask({ srm: splitCases }).srm.entries())
    compare('split', p, splitOtherWay(splitCases[i]!.users, splitCases[i]!.weights), name)
  const powerCases = [0.001, 0.03, 0.2, 0.5].flatMap(baseline =>
    [0.02, 0.1, -0.25, 0.9].flatMap(relativeMde =>
      (
        [
          [0.05, 0.8],
          [0.1, 0.9],
        ] as const
      ).flatMap(([alpha, power]) =>
        (['binary', 'mean'] as const).map(kind => ({
          kind,
          baseline,
          relativeMde,
          alpha,
          power,
          dailyVisitors: 1234,
          ...(kind === 'mean' && { sd: 7 * baseline }),
        })),
      ),
    ),
  )
  for (const [i, got] of ask({ power: powerCases }).power.entries()) {
    const { kind, baseline, relativeMde, alpha, power } = powerCases[i]!,
      other = baseline * (1 + relativeMde)
    const perArm = perArmOtherWay(
      kind === 'mean' ? 2 * (7 * baseline) ** 2 : baseline * (1 - baseline) + other * (1 - other),
      baseline * relativeMde,
      alpha,
      power,
    )
    t.same(
      got,
      { perArm, days: Math.ceil((2 * perArm) / 1234) },
      `${kind} ${baseline} ${relativeMde} ${alpha} ${power}`,
    )
  }
})

t.test(
  '"agrees … to 1e-4 in chance to win over a grid of 300 cases": the worst of all figures',
  async t => {
    t.ok(shares.length + 2 * money.length >= 300, `${shares.length + 2 * money.length} cases`)
    for (const [what, { off, name }] of worst)
      t.ok(off <= 1e-7, `${what}: ${off.toExponential(1)} off at worst, in ${name}`)
  },
)
