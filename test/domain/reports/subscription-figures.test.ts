import t from 'tap'
import type { BreakdownArm } from '../../../domain/reports/breakdown.ts'
import { subscriptionFigures } from '../../../domain/reports/subscription-figures.ts'
import { fc } from '../../properties.ts'

const arm = (visitors: number, orders: number, revenue: number, units: number): BreakdownArm => ({
  visitors,
  sessions: visitors,
  orders,
  conversions: orders,
  revenue,
  units,
  clicks: 0,
  addToCarts: 0,
  conversionRate: null,
  averageOrderValue: null,
  revenuePerSession: null,
  clickThroughRate: null,
  addToCartRate: null,
  bounceRate: null,
  inferred: null,
})
const oneTime = {
  value: 'oneTime',
  arms: [arm(2000, 80, 240_000, 120), arm(1600, 60, 180_000, 90)] as [BreakdownArm, BreakdownArm],
}
const subscription = {
  value: 'subscription',
  arms: [arm(2000, 20, 50_000, 30), arm(1600, 20, 60_000, 20)] as [BreakdownArm, BreakdownArm],
}
const renewal = {
  value: 'renewal',
  arms: [arm(2000, 7, 17_500, 9), arm(1600, 99, 990_000, 500)] as [BreakdownArm, BreakdownArm],
}

t.test('each figure follows its definition', async t => {
  const { figures, counts } = subscriptionFigures([oneTime, subscription])!
  t.same(counts[0], { visitors: 2000, orders: 20, revenue: 50_000, units: 30, allOrders: 100 })
  t.same(figures.conversionRate.arms, [0.01, 0.0125], 'first subscription orders ÷ visitors')
  t.same(figures.revenuePerVisitor.arms, [25, 37.5], 'subscription revenue per visitor')
  t.same(figures.shareOfOrders.arms, [0.2, 0.25], 'share of orders with a subscription')
  t.same(figures.orderValue.arms, [2500, 3000], 'subscription order value')
  t.same(figures.unitsPerOrder.arms, [1.5, 1], 'units per subscription order')
  t.same(
    Object.values(figures).map(({ difference }) => difference && Number(difference.toFixed(9))),
    [0.25, 0.5, 0.25, 0.2, -0.333333333],
  )
})

t.test('renewals do not change any figure', async t => {
  t.same(
    subscriptionFigures([oneTime, subscription, renewal]),
    subscriptionFigures([oneTime, subscription]),
  )
  const { figures } = subscriptionFigures([renewal])!
  t.same(figures.conversionRate.arms, [0, 0], 'visitors are read from any row')
  t.same(figures.shareOfOrders.arms, [null, null])
})

t.test(
  'a figure with the denominator 0 is null, and without a control above 0 the difference is null',
  async t => {
    t.equal(subscriptionFigures([]), null)
    const { figures } = subscriptionFigures([oneTime])!
    t.same(figures.conversionRate, { arms: [0, 0], difference: null })
    t.same(figures.orderValue, { arms: [null, null], difference: null })
    const oneArm = subscriptionFigures([
      { value: 'subscription', arms: [arm(0, 0, 0, 0), arm(10, 1, 500, 1)] },
    ])!.figures
    t.same(
      oneArm.conversionRate,
      { arms: [null, 0.1], difference: null },
      'only one arm has visitors',
    )
    const free = subscriptionFigures([
      { value: 'subscription', arms: [arm(100, 20, 0, 1), arm(100, 20, 10_000, 1)] },
    ])!.figures
    t.same(free.orderValue, { arms: [0, 500], difference: null }, 'zero revenue')
    t.equal(free.conversionRate.difference, 0)
    for (const [visitors, control, variant] of [
      [99, 20, 20],
      [100, 12, 12],
      [100, 4, 40],
    ] as const) {
      const { conversionRate } = subscriptionFigures([
        {
          value: 'subscription',
          arms: [arm(visitors, control, 500, 1), arm(200, variant, 500, 1)],
        },
      ])!.figures
      t.equal(
        conversionRate.difference,
        null,
        `${visitors} visitors, ${control} and ${variant} first orders are too few`,
      )
    }
  },
)

t.test('shares are between 0 and 1 for rows in any order', async t => {
  const count = fc.nat(10_000)
  fc.assert(
    fc.property(count, count, count, count, (visitors, once, first, again) => {
      const rows = [
        ['oneTime', once],
        ['subscription', first],
        ['renewal', again],
      ].map(([value, orders]) => ({
        value: String(value),
        arms: [arm(visitors, Number(orders), 100, 1), arm(visitors, Number(orders), 100, 1)] as [
          BreakdownArm,
          BreakdownArm,
        ],
      }))
      const { figures } = subscriptionFigures(rows)!,
        [share] = figures.shareOfOrders.arms
      t.same(subscriptionFigures(rows.toReversed()), { ...subscriptionFigures(rows) })
      return once + first === 0
        ? share === null
        : share! >= 0 &&
            share! <= 1 &&
            figures.shareOfOrders.difference === (visitors >= 100 && first >= 13 ? 0 : null)
    }),
    { numRuns: 50 },
  )
})
