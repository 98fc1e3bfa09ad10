import t from 'tap'
import { spawnSync } from 'node:child_process'

function calculator(input: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['scripts/stats.ts'], { input, encoding: 'utf8' })
}
const answer = (input: object): unknown => JSON.parse(calculator(JSON.stringify(input)).stdout)

t.test('the calculator reads and writes the form on its page', async t => {
  const got = answer({
    cases: [
      {
        name: 'share',
        kind: 'binary',
        control: { n: 29104, x: 1218, note: 'ignored' },
        variant: { n: 28982, x: 1368 },
      },
      {
        name: 'by sums',
        kind: 'mean',
        control: { n: 1000, sum: 3000, sum_squares: 152_856 },
        variant: { n: 1000, sum: 3300, sum_squares: 160_740 },
      },
      {
        name: 'by sd',
        kind: 'mean',
        control: { n: 1000, mean: 3, sd: 12 },
        variant: { n: 1000, mean: 3.3, variance: 149.999 },
      },
      {
        name: 'ratio',
        kind: 'ratio',
        control: {
          n: 3,
          m_sum: 60,
          m_sum_squares: 2600,
          d_sum: 3,
          d_sum_squares: 5,
          m_d_sum_of_products: 110,
        },
        variant: {
          n: 3,
          m_sum: 60,
          m_sum_squares: 2600,
          d_sum: 3,
          d_sum_squares: 5,
          m_d_sum_of_products: 110,
        },
      },
      { name: 'nobody', kind: 'binary', control: { n: 100, x: 0 }, variant: { n: 100, x: 5 } },
      {
        name: 'a small spread beside a large mean',
        kind: 'mean',
        control: { n: 1e6, mean: 1e6, sd: 1 },
        variant: { n: 1e6, mean: 1e6 + 0.002, sd: 1 },
      },
      {
        name: 'no spread',
        kind: 'mean',
        control: { n: 10, mean: 0, sd: 0 },
        variant: { n: 10, mean: 0, sd: 0 },
      },
    ],
    srm: [
      { name: 'even', users: [500, 500], weights: [1, 1] },
      { name: 'empty', users: [0, 0], weights: [1, 1] },
    ],
    power: [
      {
        kind: 'binary',
        baseline: 0.03,
        relativeMde: 0.1,
        alpha: 0.05,
        power: 0.8,
        dailyVisitors: 4000,
      },
      {
        kind: 'ratio',
        baseline: 50,
        relativeMde: 0.1,
        alpha: 0.05,
        power: 0.8,
        dailyVisitors: 4000,
      },
    ],
  }) as {
    cases: Record<string, number | null>[]
    srm: { name: string; p: number | null }[]
    power: object[]
  }
  t.same(Object.keys(got.cases[0]!), [
    'name',
    'chanceToWin',
    'expectedLift',
    'ciLow',
    'ciHigh',
    'loss',
  ])
  t.ok(Math.abs(got.cases[0]!.ciLow! - 0.0459244) < 1e-6, 'the 95% interval')
  t.ok(Math.abs(got.cases[1]!.chanceToWin! - got.cases[2]!.chanceToWin!) < 1e-6, 'sums or sd')
  t.match(got.cases[3], { name: 'ratio', chanceToWin: 0.5, expectedLift: 0 })
  t.match(got.cases[4], { expectedLift: null, loss: null })
  t.ok(Math.abs(got.cases[5]!.chanceToWin! - 0.9213504) < 1e-6, 'Φ(√2)')
  t.match(got.cases[6], {
    chanceToWin: null,
    expectedLift: null,
    ciLow: null,
    ciHigh: null,
    loss: null,
  })
  t.same(got.srm, [
    { name: 'even', p: 1 },
    { name: 'empty', p: null },
  ])
  t.same(got.power, [
    { perArm: 53208, days: 27 },
    { perArm: null, days: null },
  ])
  t.match(
    answer({
      cases: [
        {
          name: 'nothing sold',
          kind: 'mean',
          control: { n: 5, sum: 0, sum_squares: 0 },
          variant: { n: 5, sum: 0, sum_squares: 0 },
        },
      ],
    }),
    { cases: [{ name: 'nothing sold', chanceToWin: null }] },
    'the smallest possible sum of squares is accepted',
  )
  t.same(answer({}), { cases: [], srm: [], power: [] })
})

t.test('wrong input is named, and no result is printed', async t => {
  const cases: [string, RegExp][] = [
    ['{', /^The input is not JSON/],
    ['[]', /^The input must be an object/],
    [
      '{"cases":[{"name":"a","kind":"median"}]}',
      /^cases\[0\] "a": kind must be binary, mean or ratio\.$/m,
    ],
    [
      '{"cases":[{"name":"a","kind":"binary","control":{"n":5,"x":6},"variant":{"n":5,"x":1}}]}',
      /^cases\[0\] "a": control: x is above n\.$/m,
    ],
    [
      '{"cases":[{"kind":"mean","control":{"n":5,"mean":"6"},"variant":{}}]}',
      /^cases\[0\]: control: mean must be a number\.$/m,
    ],
    [
      '{"cases":[{"name":"a","kind":"mean","control":{"n":4,"sum":40,"sum_squares":399},"variant":{}}]}',
      /^cases\[0\] "a": control: sum_squares is too small for 4 values that sum to 40\.$/m,
    ],
    ['{"cases":[null]}', /^cases\[0\] must be an object\.$/m],
    ['{"cases":[[]]}', /^cases\[0\] must be an object\.$/m],
    ['{"cases":{}}', /^cases must be a list\.$/m],
    [
      '{"srm":[{"name":"s","users":[1,-2],"weights":[1,1]}]}',
      /^srm\[0\] "s": users\[1\] must be a number of at least 0\.$/m,
    ],
  ]
  for (const [input, message] of cases) {
    const { status, stdout, stderr } = calculator(input)
    t.match(stderr, message, input)
    t.same([status, stdout], [1, ''])
  }
})
