import t from 'tap'
import { dailySeries } from '../../../domain/reports/daily.ts'
import { estimateCompletion, samplePlan } from '../../../domain/reports/estimate.ts'
import { armTotals, emptyTotals, missingData } from '../../../domain/reports/goal-result.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import {
  type SpeedCounts,
  speedMetrics,
  speedPlace,
  speedQuantile,
} from '../../../domain/reports/speed.ts'
import { speedRows, summarise } from '../../../domain/reports/summary-build.ts'
import { fc } from '../../properties.ts'
import { dayLength, dayOf, inputAt, startAt } from '../support/results.ts'

const kindAt = (...args: Parameters<typeof inputAt>) => summarise(inputAt(...args)).verdict.kind
const even = [
  { visitors: 5000, buyers: 150 },
  { visitors: 5000, buyers: 160 },
] as [{ visitors: number; buyers: number }, { visitors: number; buyers: number }]
const clear = [
  { visitors: 20_000, buyers: 600 },
  { visitors: 20_000, buyers: 850 },
] as typeof even

t.test(
  '"No chance to win, lift or interval until each arm has 100 visitors and the arms together 25 conversions, at least 5 in each"',
  async t => {
    const gate = (a: [number, number], b: [number, number]) =>
      missingData(
        'ConversionRate',
        armTotals([dayOf('2026-11-02', 0, a[0], a[1]), dayOf('2026-11-02', 1, b[0], b[1])]),
      )
    t.equal(gate([100, 12], [100, 13]), null)
    t.same(gate([99, 12], [100, 13]), {
      visitors: [1, 0],
      conversions: 0,
      conversionsPerArm: [0, 0],
    })
    t.same(gate([100, 12], [100, 12]), {
      visitors: [0, 0],
      conversions: 1,
      conversionsPerArm: [0, 0],
    })
    t.same(
      gate([100, 40], [100, 3]),
      { visitors: [0, 0], conversions: 0, conversionsPerArm: [0, 2] },
      'enough in all, too few in one arm',
    )
    t.same(gate([0, 0], [0, 0]), {
      visitors: [100, 100],
      conversions: 25,
      conversionsPerArm: [5, 5],
    })
    const shut = summarise(
      inputAt(8, [
        { visitors: 99, buyers: 20 },
        { visitors: 100, buyers: 20 },
      ]),
    ).goals[0]!
    t.match(shut, { chanceToWin: null, lift: null, interval: null })
    t.equal(shut.arms[0].count, 20, 'the counts are still shown')
  },
)

t.test('each row of the decision gives its verdict', async t => {
  t.equal(
    kindAt(20, [
      { visitors: 40, buyers: 1 },
      { visitors: 40, buyers: 2 },
    ]),
    'collecting',
    'gates shut, even past the planned end',
  )
  t.equal(kindAt(6.9, clear), 'tooEarly', 'no winner before day 7, even with a clear difference')
  t.equal(kindAt(7, clear), 'winner', 'from day 7, if the confidence sequence excludes 0')
  t.equal(kindAt(7, [clear[1], clear[0]]), 'loser')
  t.equal(kindAt(7, even), 'leaning', 'otherwise leaning')
  const [a, b] = [
    { visitors: 5000, buyers: 150 },
    { visitors: 5000, buyers: 185 },
  ]
  const before = summarise(inputAt(13, [a, b])),
    at = summarise(inputAt(14, [a, b]))
  t.ok(before.goals[0]!.chanceToWin! > 0.95)
  t.equal(before.verdict.kind, 'leaning', '95% before the planned end is not enough')
  t.equal(at.verdict.kind, 'winner', 'at the planned end it is')
  t.equal(kindAt(14, [b, a]), 'loser')
  t.equal(kindAt(14, even), 'noDifference')
  t.equal(
    kindAt(20, even, { endedAt: startAt + 10 * dayLength }),
    'leaning',
    'a test that ended before its planned end gets no later verdict',
  )
  t.equal(kindAt(20, clear, { endedAt: startAt + 10 * dayLength }), 'winner')
  t.equal(kindAt(20, clear, { endedAt: startAt + 3 * dayLength }), 'tooEarly')
})

t.test('a verdict is stored when it is first reached and is not computed again', async t => {
  const stored = {
    kind: 'noDifference' as const,
    reachedAt: '2026-11-16T10:00:00.000Z',
    lift: 0.01,
    chanceToWin: 0.6,
  }
  t.same(summarise(inputAt(30, clear, { storedVerdict: stored })).verdict, stored)
})

t.test('with a broken split there is no winner', async t => {
  const summary = summarise(
    inputAt(14, [
      { visitors: 20_000, buyers: 600 },
      { visitors: 18_000, buyers: 850 },
    ]),
  )
  t.equal(summary.split.broken, true)
  t.match(summary.verdict, { kind: 'splitBroken', reachedAt: null, lift: null, chanceToWin: null })
  for (const { goal, arms, lift, interval, chanceToWin, missing } of summary.goals) {
    t.same(
      [lift, interval, chanceToWin, missing],
      [null, null, null, null],
      `${goal}: the arms are not compared`,
    )
    t.ok(
      arms.every(
        arm =>
          arm.visitors > 0 &&
          arm.value !== null &&
          arm.inferred === null &&
          arm.loss === null &&
          arm.lossPerMonth === null,
      ),
      `${goal}: each arm’s own figures stay`,
    )
  }
})

t.test(
  'the result with bots: the same rules over visitors and bots, without the stored verdict; null without bots',
  async t => {
    const bots = (visitors: number, buyers: number) => dayOf('2026-11-02', 0, visitors, buyers)
    const input = inputAt(14, even)
    t.equal(summarise(input).withBots, null)
    const stored = {
      kind: 'noDifference' as const,
      reachedAt: '2026-11-16T10:00:00.000Z',
      lift: 0.01,
      chanceToWin: 0.6,
    }
    const summary = summarise({
      ...input,
      storedVerdict: stored,
      bots: [90, 110],
      botTotals: [bots(80, 0), bots(100, 90)],
    })
    const both = summarise(
      inputAt(14, [
        { visitors: 5080, buyers: 150 },
        { visitors: 5100, buyers: 250 },
      ]),
    )
    t.same(summary.withBots, {
      visitors: [5080, 5100],
      chanceToWin: both.goals[0]!.chanceToWin,
      lift: both.goals[0]!.lift,
      kind: 'winner',
    })
    t.same(
      [summary.visitors, summary.bots, summary.verdict],
      [[5000, 5000], [90, 110], stored],
      'the result without bots does not change',
    )
    t.equal(
      summarise({ ...input, botTotals: [emptyTotals, { ...emptyTotals, visitors: 900 }] }).withBots!
        .kind,
      'splitBroken',
      'bots may break the split',
    )
  },
)

t.test('page speed is counted per step of a scale, and its error is below 9%', async t => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 60 }),
      values => {
        const counts: SpeedCounts = new Map()
        for (const value of values)
          counts.set(speedPlace(value), (counts.get(speedPlace(value)) ?? 0) + 1)
        const exact = values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.75) - 1]!
        const told = speedQuantile(counts)!
        return exact === 0 ? told === 0 : told >= exact / 1.0906 && told <= exact * 1.0906
      },
    ),
  )
  const rows = speedRows(
    (metric, arm) => new Map(metric === 'lcp' && arm === 1 ? [[speedPlace(2000), 3]] : []),
  )
  t.same(
    rows.map(row => [row.metric, row.arms.map(arm => arm.pages)]),
    speedMetrics.map(metric => [metric, metric === 'lcp' ? [0, 3] : [0, 0]]),
  )
  t.equal(rows[0]!.arms[0].p75, null)
})

t.test(
  'expected loss in money per month: CVR by a buyer’s revenue, RPV by visitors, none for CTR and ACR',
  async t => {
    const { goals } = summarise(inputAt(14, even, { ranFor: dayLength }))
    const of = (name: string) => goals.find(g => g.goal === name)!
    const cvr = of('ConversionRate').arms[0],
      rpv = of('RevenuePerSession').arms[0]
    t.ok(
      Math.abs(cvr.lossPerMonth! - cvr.loss! * 0.03 * 300_000 * 5000) < 1e-6,
      '10,000 visitors in one day are 300,000 a month, a buyer spends 5000',
    )
    const [, early] = summarise(inputAt(14, even, { ranFor: dayLength / 6 })).goals[0]!.arms,
      [, whole] = goals[0]!.arms
    t.ok(
      Math.abs(early.lossPerMonth! / whole.lossPerMonth! - 6) < 1e-9,
      'the same visitors in four hours are six times as many per month',
    )
    t.ok(Math.abs(rpv.lossPerMonth! - rpv.loss! * 150 * 300_000) < 1e-6)
    t.equal(of('ClickThroughRate').arms[0].lossPerMonth, null)
    t.equal(of('AddToCartRate').arms[0].lossPerMonth, null)
    t.equal(of('AverageOrderValue').arms[0].value, 5000)
  },
)

t.test('a shop without any history has a plan for every goal', async t => {
  for (const goal of goalNames) {
    const { neededVisitors, days } = samplePlan({
      goal,
      weights: [0.5, 0.5],
      minimumEffect: 0.1,
      spread: null,
      dailyVisitors: 1_000_000,
    })
    t.ok(
      neededVisitors > 1_000 && neededVisitors < 1_000_000 && days === 14,
      `${goal}: ${neededVisitors}`,
    )
  }
})

t.test('estimated completion', async t => {
  const estimate = (over: Partial<Parameters<typeof estimateCompletion>[0]> = {}) =>
    estimateCompletion({
      goal: 'ConversionRate',
      totals: armTotals([dayOf('2026-11-02', 0, 5000, 150), dayOf('2026-11-02', 1, 5000, 150)]),
      weights: [0.5, 0.5],
      minimumEffect: 0.1,
      neededVisitors: 60_000,
      dailyVisitors: 5000,
      startAt,
      now: startAt + 7 * dayLength,
      ...over,
    })
  const weeks = (date: string | null) => (Date.parse(date!) - startAt) / dayLength / 7
  // 101,514 − 10,000 visitors take 19 days at 5,000 a day. With the 7 past days 26, in whole weeks
  // 28.
  t.equal(weeks(estimate().date), 4)
  t.equal(weeks(estimate({ dailyVisitors: 100_000 }).date), 2, 'never before start + 14 days')
  const slow = estimate({ dailyVisitors: 500 })
  t.equal(slow.date, null, 'over 90 days: not enough traffic')
  t.ok(
    Math.abs(slow.smallestEffect! - 0.1 * Math.sqrt(101_514 / 14_000)) < 0.001,
    'the smallest change that 28 days can detect',
  )
  const young = armTotals([dayOf('2026-11-02', 0, 50, 1), dayOf('2026-11-02', 1, 50, 3)])
  // 60,000 − 100 visitors take 12 days at 5,000 a day. With the 7 past days 19, in whole weeks 21.
  t.equal(
    weeks(estimate({ totals: young }).date),
    3,
    'the plan’s number counts while there is too little data',
  )
  const hopeless = estimate({ totals: young, dailyVisitors: 500 })
  t.equal(hopeless.date, null, 'the plan’s number alone shows too little traffic')
  t.ok(
    Math.abs(hopeless.smallestEffect! - 0.1 * Math.sqrt(60_000 / 14_000)) < 1e-9,
    'the smallest change that 28 days could detect',
  )
  t.same(
    estimate({ totals: young, dailyVisitors: null }),
    { date: null, traffic: 'unknown', smallestEffect: null },
    'before the first full day the traffic is unknown',
  )
  t.same(
    estimate({ totals: young, dailyVisitors: 0 }),
    { date: null, traffic: 'notEnough', smallestEffect: null },
    'a full day without visitors is not enough traffic',
  )
  t.same([estimate().traffic, slow.traffic], ['enough', 'notEnough'])
  const enough = armTotals([
    dayOf('2026-11-02', 0, 60_000, 1800),
    dayOf('2026-11-02', 1, 60_000, 1800),
  ])
  t.equal(
    weeks(estimate({ totals: enough, dailyVisitors: 0 }).date),
    2,
    'there are enough visitors: 0 more days',
  )
  t.match(
    estimate({ totals: enough, dailyVisitors: null }),
    { date: /^2026/, traffic: 'enough' },
    'also before the daily visitors are known',
  )
})

t.test(
  'the sample plan: whole weeks, at least 14 days, 84 with too little traffic; N* is the needed or the expected visitors',
  async t => {
    const plan = (dailyVisitors: number) =>
      samplePlan({
        goal: 'ConversionRate',
        weights: [0.5, 0.5],
        minimumEffect: 0.1,
        spread: { mean: 0.03, variances: [0.0291, 0.0291] },
        dailyVisitors,
      })
    const needed = { neededVisitors: 101_514, plannedVisitors: 101_514, smallestEffect: null }
    t.same(plan(0), { ...needed, days: 14, daysNeeded: null, traffic: 'unknown' }, 'no history')
    t.same(plan(5000), { ...needed, days: 21, daysNeeded: 21, traffic: 'enough' })
    t.same(plan(100_000), { ...needed, days: 14, daysNeeded: 2, traffic: 'enough' })
    t.same(
      plan(1150),
      { ...needed, days: 91, daysNeeded: 89, traffic: 'enough' },
      'up to 90 days count as enough traffic, rounded up to whole weeks',
    )
    t.match(plan(100), {
      neededVisitors: 101_514,
      plannedVisitors: 8400,
      days: 84,
      daysNeeded: 1016,
      traffic: 'notEnough',
    })
    t.ok(
      Math.abs(plan(100).smallestEffect! - 0.1 * Math.sqrt(101_514 / 2800)) < 1e-4,
      'the change that 28 days can detect',
    )
  },
)

t.test(
  'a daily series has every day from first to last, each with the chance to win up to its end',
  async t => {
    const days = [
      dayOf('2026-11-02', 0, 500, 15),
      dayOf('2026-11-02', 1, 500, 20),
      dayOf('2026-11-04', 0, 500, 15),
      dayOf('2026-11-04', 1, 500, 25),
    ]
    const series = dailySeries({
      metric: 'ConversionRate',
      days,
      from: '2026-11-01',
      to: '2026-11-04',
      paused: new Map([['2026-11-03', 'wholly']]),
    })
    t.same(
      series.map(p => p.day),
      ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'],
    )
    t.same(
      series.map(p => p.paused),
      ['no', 'no', 'wholly', 'no'],
    )
    t.same(
      series.map(p => p.arms[1].visitors),
      [0, 500, 0, 500],
    )
    t.equal(series[0]!.chanceToWin, null)
    t.equal(series[2]!.chanceToWin, series[1]!.chanceToWin, 'a day without traffic changes nothing')
    t.equal(
      series[3]!.chanceToWin,
      summarise(
        inputAt(3, [
          { visitors: 1000, buyers: 30 },
          { visitors: 1000, buyers: 45 },
        ]),
      ).goals[0]!.chanceToWin,
    )
    const money = dailySeries({
      metric: 'RevenuePerSession',
      days,
      from: '2026-11-02',
      to: '2026-11-02',
      paused: new Map(),
    })
    t.same(money[0]!.arms[0], { visitors: 500, count: 75_000, denominator: 500, value: 150 })
  },
)
