import t from 'tap'
import { emptyTotals, goalResult } from '../../../domain/reports/goal-result.ts'

t.test('a lost conversion costs the revenue of a buyer, not of an order', t => {
  // Two orders per buyer: each buyer spent 40.00.
  const arm = (buyers: number) => ({
    ...emptyTotals,
    visitors: 1000,
    buyers,
    orders: 2 * buyers,
    revenue: 4000 * buyers,
    cappedRevenue: 4000 * buyers,
  })
  const { result } = goalResult('ConversionRate', [arm(50), arm(80)], 10_000)
  const [control] = result.arms
  t.ok(control.loss! > 0)
  t.ok(
    Math.abs(control.lossPerMonth! / (control.loss! * control.inferred! * 10_000 * 4000) - 1) <
      1e-9,
    `${control.lossPerMonth}`,
  )
  t.end()
})
