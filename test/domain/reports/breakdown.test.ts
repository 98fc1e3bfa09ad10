import t from 'tap'
import type { PerArm } from '../../../domain/arm.ts'
import {
  breakdownPage,
  type BreakdownOptions,
  breakdownSorts,
} from '../../../domain/reports/breakdown.ts'
import { type ArmTotals, compareArms, emptyTotals } from '../../../domain/reports/goal-result.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import { dayOf } from '../support/results.ts'

const arm = (visitors: number, buyers: number): ArmTotals =>
  dayOf('2026-11-02', 0, visitors, buyers)
const row = (value: string, control: [number, number], variant: [number, number]) => ({
  value,
  totals: [arm(...control), arm(...variant)] as PerArm<ArmTotals>,
  units: [control[1] * 2, variant[1] * 3] as PerArm<number>,
})
const rows = [
  row('phone', [400, 20], [410, 60]),
  row('desktop', [900, 50], [880, 40]),
  row('tablet', [99, 30], [200, 30]),
]
const page = (over: Partial<BreakdownOptions> = {}, of = rows) =>
  breakdownPage(of, {
    breakdown: 'device',
    goal: 'ConversionRate',
    sort: 'visitors',
    descending: true,
    page: 0,
    pageSize: 10,
    ...over,
  })
const names = (over: Partial<BreakdownOptions> = {}) => page(over).rows.map(one => one.value)

t.test('a row has both arms’ figures and their comparison on the goal', async t => {
  const {
    rows: [desktop],
    count,
  } = page()
  t.equal(count, 3)
  t.equal(desktop!.label, 'Desktop')
  t.same(desktop!.arms[0], {
    visitors: 900,
    sessions: 900,
    orders: 50,
    conversions: 50,
    revenue: 250_000,
    units: 100,
    clicks: 450,
    addToCarts: 100,
    conversionRate: 50 / 900,
    averageOrderValue: 5000,
    revenuePerSession: 250_000 / 900,
    clickThroughRate: 0.5,
    addToCartRate: 100 / 900,
    bounceRate: 0.25,
    inferred: null,
  })
  const { lift, chanceToWin } = compareArms('ConversionRate', rows[1]!.totals)
  t.same([desktop!.lift, desktop!.chanceToWin], [lift, chanceToWin])
})

t.test(
  'a row has no chance and no lift with too little data or with more buyers than visitors',
  async t => {
    t.same(
      page()
        .rows.filter(one => one.chanceToWin === null)
        .map(one => one.value),
      ['tablet'],
      'an arm has only 99 visitors',
    )
    const early = page({}, [
      { value: 'phone', totals: [arm(100, 101), arm(100, 30)], units: [0, 0] },
    ]).rows[0]!
    t.same([early.lift, early.chanceToWin], [null, null])
  },
)

t.test('order types are compared when the goal counts orders; renewals never', async t => {
  const types = [row('oneTime', [400, 20], [410, 60]), row('renewal', [400, 20], [410, 60])]
  const compared = (goal: BreakdownOptions['goal']) =>
    page({ breakdown: 'orderType', goal, sort: 'value', descending: false }, types).rows.map(
      one => one.chanceToWin !== null,
    )
  t.same(compared('ConversionRate'), [true, false])
  t.same(compared('RevenuePerSession'), [true, false])
  t.same(compared('ClickThroughRate'), [false, false])
})

t.test('rows are sorted by any figure in both directions, paged, and empty ones last', async t => {
  t.same(names(), ['desktop', 'phone', 'tablet'])
  t.same(names({ sort: 'value', descending: false }), ['desktop', 'phone', 'tablet'])
  t.same(names({ sort: 'value' }), ['tablet', 'phone', 'desktop'])
  t.same(names({ sort: 'units' }), ['desktop', 'phone', 'tablet'], '220, 220, 150')
  t.same(
    names({ sort: 'conversionRate' }),
    ['tablet', 'phone', 'desktop'],
    '60 of 299, 80 of 810, 90 of 1780',
  )
  t.same(names({ sort: 'lift' }), ['phone', 'desktop', 'tablet'])
  t.same(names({ sort: 'lift', descending: false }), ['desktop', 'phone', 'tablet'])
  t.same(names({ page: 1, pageSize: 2 }), ['tablet'])
  t.same(names({ page: 9 }), [])
  for (const sort of breakdownSorts) t.equal(page({ sort }).rows.length, 3, sort)
  t.same(
    page({}, [{ value: 'phone', totals: [{ ...emptyTotals }, { ...emptyTotals }], units: [0, 0] }])
      .rows[0]!.arms[0].conversionRate,
    null,
  )
})

t.test('the lift of a money goal comes with the capped means behind it', async t => {
  const capped = (one: ArmTotals, over: number): ArmTotals => ({
    ...one,
    revenue: one.revenue + over,
  })
  const [control, variant] = rows[1]!.totals,
    totals: PerArm<ArmTotals> = [capped(control, 400_000), variant]
  for (const goal of ['RevenuePerSession', 'AverageOrderValue'] as const) {
    const [{ arms, lift }] = page({ goal }, [{ value: 'desktop', totals, units: [0, 0] }]).rows as [
      ReturnType<typeof page>['rows'][number],
    ]
    const raw = goal === 'RevenuePerSession' ? 'revenuePerSession' : 'averageOrderValue'
    t.same(
      arms.map(one => one.inferred),
      compareArms(goal, totals).means,
      goal,
    )
    t.ok(
      arms[0].inferred! < arms[0][raw]! && arms[1].inferred === arms[1][raw],
      'one arm had an order to cap',
    )
    t.ok(Math.abs(arms[1].inferred! / arms[0].inferred! - 1 - lift!) < 1e-12)
  }
  t.same(
    page({ goal: 'RevenuePerSession' }).rows[2]!.arms.map(one => one.inferred),
    [null, null],
    'a row that is not compared has no capped means',
  )
})

t.test('with a broken split no row is compared, and sorting reveals no hidden figure', async t => {
  for (const goal of goalNames)
    for (const { lift, chanceToWin, arms } of page({ goal, isSplitBroken: true }).rows)
      t.same([lift, chanceToWin, ...arms.map(one => one.inferred)], [null, null, null, null], goal)
  for (const sort of ['lift', 'chanceToWin'] as const)
    for (const descending of [true, false])
      t.same(
        names({ sort, descending, isSplitBroken: true }),
        ['desktop', 'phone', 'tablet'],
        'the rows are sorted by name',
      )
})
