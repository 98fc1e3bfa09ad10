import t from 'tap'
import { fc } from '../../properties.ts'
import { readFileSync } from 'node:fs'
import { binaryChance, compareBinary } from '../../../domain/stats/binary.ts'
import type { BinaryArm } from '../../../domain/stats/comparison.ts'
import {
  compareMean,
  compareRatio,
  meanPosterior,
  ratioPosterior,
} from '../../../domain/stats/normal.ts'
import { samplePerArm, visitorsNeeded } from '../../../domain/stats/power.ts'
import { sequenceHalfWidth } from '../../../domain/stats/sequence.ts'
import {
  betaCdf,
  chiSquareTail,
  logGamma,
  normalCdf,
  normalQuantile,
} from '../../../domain/stats/special.ts'
import { splitCheck } from '../../../domain/stats/split.ts'

type Tap = { ok: (value: unknown, name: string) => boolean }
const near = (
  t: Tap,
  got: number | null | undefined,
  want: number,
  tolerance: number,
  what: string,
) =>
  t.ok(
    typeof got === 'number' && Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want)),
    `${what}: ${got} is near ${want}`,
  )

t.test('special functions equal published and closed-form values', async t => {
  near(t, normalQuantile(0.975), 1.959963984540054, 1e-14, 'z of 95%')
  near(t, normalQuantile(0.95), 1.6448536269514722, 1e-14, 'z of 90%')
  near(t, normalQuantile(1e-10), -6.361340902404056, 1e-12, 'a far tail')
  near(t, Math.log(normalCdf(-10)), Math.log(7.61985302416053e-24), 1e-13, 'Φ(−10)')
  near(t, logGamma(0.5), Math.log(Math.sqrt(Math.PI)), 1e-14, 'Γ(½) = √π')
  near(t, logGamma(171), 706.573062245787, 1e-14, 'ln 170!')
  near(t, betaCdf(0.5, 0.5, 0.3), (2 / Math.PI) * Math.asin(Math.sqrt(0.3)), 1e-13, 'arcsine law')
  near(t, betaCdf(2, 3, 0.4), 0.5248, 1e-14, 'a polynomial')
  near(t, betaCdf(1e8, 1e8, 0.5), 0.5, 1e-9, 'symmetry at 1e8')
  near(t, chiSquareTail(3.841458820694124, 1), 0.05, 1e-12, 'χ² of 5%')
  near(t, chiSquareTail(10, 2), Math.exp(-5), 1e-14, 'two degrees of freedom')
})

t.test('0/1 goals agree with figures that were computed another way', async t => {
  const { binary } = JSON.parse(readFileSync('test/cases/stats-binary.json', 'utf8')) as {
    binary: {
      name: string
      control: { n: number; x: number }
      variant: { n: number; x: number }
      chanceToWin: number
      ciLow: number
      ciHigh: number
      loss: number | null
    }[]
  }
  for (const want of binary) {
    const got = compareBinary(want.control, want.variant, 0.95)
    near(t, got.chanceToWin, want.chanceToWin, 1e-6, `${want.name}, chance`)
    near(t, got.interval?.[0], want.ciLow, 1e-6, `${want.name}, low`)
    near(t, got.interval?.[1], want.ciHigh, 1e-6, `${want.name}, high`)
    if (want.loss === null) t.equal(got.loss[1], null, `${want.name}, no loss without a mean`)
    else near(t, got.loss[1], want.loss, 1e-6, `${want.name}, loss`)
  }
})

t.test(
  'the chance is right to nine digits from one visitor to 100 million, and in the far tails',
  async t => {
    const { chance } = JSON.parse(readFileSync('test/cases/stats-chance.json', 'utf8')) as {
      chance: [BinaryArm, BinaryArm, number][]
    }
    for (const [control, variant, want] of chance) {
      const name = JSON.stringify([control, variant])
      near(t, binaryChance(control, variant), want, 1e-9, name)
      if (want < 1e-3)
        t.ok(Math.abs(binaryChance(control, variant) / want - 1) < 1e-5, `${name}, relative`)
    }
  },
)

const arm = fc
  .integer({ min: 1, max: 100_000 })
  .chain(n => fc.record({ n: fc.constant(n), x: fc.integer({ min: 0, max: n }) }))
t.test(
  '0/1 goals: with exchanged arms the chance is 1 minus itself; more buyers never lower it',
  async () => {
    fc.assert(
      fc.property(arm, arm, (a, b) => Math.abs(binaryChance(a, b) + binaryChance(b, a) - 1) < 1e-8),
    )
    fc.assert(
      fc.property(
        arm,
        arm,
        (a, b) =>
          b.x === b.n || binaryChance(a, { n: b.n, x: b.x + 1 }) >= binaryChance(a, b) - 1e-10,
      ),
    )
  },
)

t.test('expected losses of the two choices differ by the difference of the means', async () => {
  fc.assert(
    fc.property(arm, arm, (a, b) => {
      const { loss } = compareBinary(a, b, 0.9)
      if (loss[0] === null || loss[1] === null) return a.x === 0
      const control = a.x / a.n,
        means = [(a.x + 0.5) / (a.n + 1), (b.x + 0.5) / (b.n + 1)]
      return Math.abs((loss[0] - loss[1]) * control - (means[1]! - means[0]!)) < 1e-8
    }),
    {
      examples: [
        [
          { n: 9203, x: 1 },
          { n: 99_993, x: 99_993 },
        ],
        [
          { n: 100_000, x: 100_000 },
          { n: 1, x: 0 },
        ],
        [
          { n: 100_000, x: 100_000 },
          { n: 100_000, x: 1 },
        ],
      ],
      numRuns: 300,
    },
  )
})

t.test('money goals: moments, Fieller and delta method equal values computed by hand', async t => {
  // Values 0, 0, 10, 30 and 0, 20, 20, 40: means 10 and 20, s² 200 and 800/3.
  const control = { n: 4, sum: 40, sumSquares: 1000 },
    variant = { n: 4, sum: 80, sumSquares: 2400 }
  t.same(meanPosterior(control), { mean: 10, variance: 50 })
  const v = 200 / 3
  near(t, meanPosterior(variant)!.variance, v, 1e-14, 'variance of the variant')
  const got = compareMean(
    { n: 400, sum: 4000, sumSquares: 100_000 },
    { n: 400, sum: 8000, sumSquares: 240_000 },
    0.95,
  )
  const vA = 60_000 / 399 / 400,
    vB = 80_000 / 399 / 400,
    z = 1.959963984540054
  near(t, got.chanceToWin, normalCdf(10 / Math.sqrt(vA + vB)), 1e-12, 'chance')
  const a = 100 - z * z * vA,
    root = Math.sqrt(40_000 - a * (400 - z * z * vB))
  near(t, got.interval?.[0], (200 - root) / a - 1, 1e-12, 'Fieller, low')
  near(t, got.interval?.[1], (200 + root) / a - 1, 1e-12, 'Fieller, high')
  t.equal(
    compareMean(control, variant, 0.95).interval,
    null,
    'no interval when the control may be zero',
  )
  // Visitors (m, d): (0,0) (10,1) (50,2): R = 20; s²m = 700, s²d = 1, s_md = 25, m̄ = 20, d̄ = 1.
  near(
    t,
    ratioPosterior({ n: 3, mSum: 60, mSumSquares: 2600, dSum: 3, dSumSquares: 5, mdSum: 110 })!
      .variance,
    (700 + 400 - 1000) / 3,
    1e-12,
    'delta method',
  )
  t.equal(
    ratioPosterior({ n: 3, mSum: 0, mSumSquares: 0, dSum: 0, dSumSquares: 0, mdSum: 0 }),
    null,
    'without orders there is no average',
  )
  t.equal(
    compareRatio(
      { n: 3, mSum: 0, mSumSquares: 0, dSum: 0, dSumSquares: 0, mdSum: 0 },
      { n: 3, mSum: 60, mSumSquares: 2600, dSum: 3, dSumSquares: 5, mdSum: 110 },
      0.9,
    ).chanceToWin,
    null,
  )
  // Orders of value 0: the control's mean and variance are both 0.
  t.same(
    [
      compareMean({ n: 200, sum: 0, sumSquares: 0 }, variant, 0.9),
      compareRatio(
        { n: 3, mSum: 0, mSumSquares: 0, dSum: 3, dSumSquares: 3, mdSum: 0 },
        { n: 3, mSum: 60, mSumSquares: 2600, dSum: 3, dSumSquares: 5, mdSum: 110 },
        0.9,
      ),
    ].map(({ interval, lift, loss }) => [interval, lift, loss]),
    [
      [null, null, [null, null]],
      [null, null, [null, null]],
    ],
    'a control of zero-value orders has no interval',
  )
})

t.test('the interval excludes 0 exactly when the chance is outside 5–95%', async () => {
  const money = fc
    .record({
      mean: fc.double({ min: 1, max: 20, noNaN: true }),
      sd: fc.double({ min: 0.1, max: 40, noNaN: true }),
      n: fc.integer({ min: 100, max: 5000 }),
    })
    .map(({ mean, sd, n }) => ({
      n,
      sum: n * mean,
      sumSquares: sd * sd * (n - 1) + n * mean * mean,
    }))
  fc.assert(
    fc.property(money, money, (a, b) => {
      const { chanceToWin, interval } = compareMean(a, b, 0.9)
      if (
        !interval ||
        (Math.abs(chanceToWin! - 0.5) > 0.45 - 1e-9 && Math.abs(chanceToWin! - 0.5) < 0.45 + 1e-9)
      )
        return true
      return (interval[0] > 0 || interval[1] < 0) === (chanceToWin! > 0.95 || chanceToWin! < 0.05)
    }),
  )
  fc.assert(
    fc.property(arm, arm, (a, b) => {
      const { chanceToWin, interval } = compareBinary(a, b, 0.9)
      if (Math.abs(Math.abs(chanceToWin! - 0.5) - 0.45) < 1e-7) return true
      return (interval![0] > 0 || interval![1] < 0) === (chanceToWin! > 0.95 || chanceToWin! < 0.05)
    }),
  )
})

t.test('extreme inputs have a correct answer or none', async t => {
  for (const [a, b] of [
    [
      { n: 1, x: 0 },
      { n: 1, x: 1 },
    ],
    [
      { n: 1e8, x: 0 },
      { n: 1e8, x: 1e8 },
    ],
    [
      { n: 1e8, x: 5e7 },
      { n: 1e8, x: 5e7 },
    ],
    [
      { n: 0, x: 0 },
      { n: 0, x: 0 },
    ],
  ] as const) {
    const got = compareBinary(a, b, 0.95)
    t.ok(got.chanceToWin! >= 0 && got.chanceToWin! <= 1, JSON.stringify([a, b, got]))
    t.notOk([...got.interval!, got.lift ?? 0].some(Number.isNaN))
  }
  const zero = { n: 500, sum: 0, sumSquares: 0 }
  t.match(compareMean(zero, zero, 0.9), { chanceToWin: null, lift: null, interval: null })
  const single = compareMean(
    { n: 1, sum: 5, sumSquares: 25 },
    { n: 9, sum: 90, sumSquares: 950 },
    0.9,
  )
  t.match(
    single,
    { chanceToWin: null, interval: null, lift: 1 },
    'one visitor has a mean and no variance',
  )
})

t.test('split check: Pearson against the weights, which may have any sum', async t => {
  near(
    t,
    splitCheck([5000, 5200], [1, 1])!,
    2 * normalCdf(-Math.sqrt((2 * 100 ** 2) / 5100)),
    1e-12,
    'by hand',
  )
  t.equal(splitCheck([900, 100], [0.9, 0.1]), 1, 'as planned')
  t.equal(splitCheck([0, 0], [0.5, 0.5]), null)
  t.ok(splitCheck([5000, 5400], [0.5, 0.5])! < 0.001, 'a broken split')
  t.ok(splitCheck([33, 33, 34], [1, 1, 1])! > 0.9, 'three arms')
})

t.test(
  'confidence sequence: the formula of docs/statistics.md, wider than an interval for one look',
  async t => {
    const [se, n, planned] = [0.002, 20_000, 40_000]
    const rho2 = (-2 * Math.log(0.05) + Math.log(1 - 2 * Math.log(0.05))) / planned
    near(
      t,
      sequenceHalfWidth(se, n, planned),
      se *
        Math.sqrt(n) *
        Math.sqrt(
          ((2 * (n * rho2 + 1)) / (n * n * rho2)) * Math.log(Math.sqrt(n * rho2 + 1) / 0.05),
        ),
      1e-14,
      'half-width',
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 50, max: 1e6 }),
        fc.integer({ min: 50, max: 1e6 }),
        (visitors, total) => sequenceHalfWidth(1, visitors, total) > 1.96,
      ),
    )
  },
)

t.test('sample sizes', async t => {
  // 3% and 3.3%, 5% two-sided, power 80%: (1.95996 + 0.84162)² (0.0291 + 0.031911) / 0.003²,
  // rounded up.
  t.equal(
    samplePerArm({ kind: 'binary', baseline: 0.03, relativeMde: 0.1, alpha: 0.05, power: 0.8 }),
    Math.ceil(
      ((1.959963984540054 + 0.8416212335729143) ** 2 * (0.0291 + 0.033 * 0.967)) / 0.003 ** 2,
    ),
  )
  t.equal(
    samplePerArm({ kind: 'mean', baseline: 50, sd: 20, relativeMde: 0.1, alpha: 0.05, power: 0.8 }),
    252,
  )
  t.equal(
    samplePerArm({ kind: 'ratio', baseline: 50, relativeMde: 0.1, alpha: 0.05, power: 0.8 }),
    null,
  )
  t.equal(
    samplePerArm({ kind: 'binary', baseline: 0, relativeMde: 0.1, alpha: 0.05, power: 0.8 }),
    null,
  )
  near(
    t,
    visitorsNeeded(0.03, [0.0291, 0.0291], [0.5, 0.5], 0.1)!,
    (2.8016 ** 2 * 4 * 0.0291) / 0.003 ** 2,
    1e-12,
    'both arms together',
  )
})
