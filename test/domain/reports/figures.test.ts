import t from 'tap'
import { describeChange } from '../../../domain/drafts/change-kind.ts'
import {
  formatChance,
  formatCount,
  formatDate,
  formatDay,
  formatGoal,
  formatLift,
  formatMoment,
  formatNearDay,
  formatRate,
} from '../../../domain/figures.ts'
import { differ, ledgerGap, losesUnevenly } from '../../../domain/reports/stage-check.ts'

t.test('figures are formatted as people write them', async t => {
  t.equal(formatCount(29104), '29,104')
  t.equal(formatRate(0.0418), '4.18%')
  t.equal(formatLift(0.1284), '+12.8%')
  t.equal(formatLift(-0.1666), '−16.7%')
  t.equal(formatLift(-0.0001), '0.0%', 'a zero has no sign')
  t.same([0.582, 0.99999, 0.999, 0.0002].map(formatChance), ['58.2%', '> 99.9%', '99.9%', '< 0.1%'])
  t.equal(formatGoal('AverageOrderValue', 6318, 'USD'), '$63.18')
  t.equal(formatGoal('RevenuePerSession', 277, 'JPY'), '¥277')
  t.equal(formatGoal('ConversionRate', null, 'USD'), '–')
})

t.test('times are shown in the shop’s time zone', async t => {
  t.equal(formatMoment('2026-11-05T02:30:00Z', 'America/New_York'), '4 Nov, 21:30')
  const now = new Date('2027-01-01T03:00:00Z')
  t.equal(
    formatMoment('2026-11-05T02:30:00Z', 'America/New_York', now),
    '4 Nov, 21:30',
    'in this time zone it is still the old year',
  )
  t.equal(formatMoment('2026-11-05T02:30:00Z', 'UTC', now), '5 Nov 2026, 02:30')
  t.same(
    ['2026-12-31', '2027-01-01'].map(day => formatNearDay(day, now)),
    ['31 Dec 2026', '1 Jan'],
  )
  t.equal(formatDate('2026-11-05T02:30:00Z', 'Europe/Berlin'), '5 Nov 2026')
  t.equal(formatDay('2026-11-04'), '4 Nov')
})

t.test('a change is described in one line', async t => {
  t.equal(describeChange({ kind: 'style', name: 'color', value: 'red' }), 'Style: color red')
  t.equal(describeChange({ kind: 'hide', name: 'left over', value: 'left over' }), 'Hide')
  t.equal(describeChange({ kind: 'text', name: '', value: ' ' }), 'Text')
})

t.test('arms lose unevenly when chance does not explain the difference', async t => {
  // z is near 0 for 98.3% and 98.3%, above 30 for 98.3% and 93.1%, and 1.55 for 9 of 10 and 6 of
  // 10.
  t.notOk(differ([29104, 29611], [28982, 29494]))
  t.ok(differ([29104, 29611], [27460, 29494]))
  t.notOk(differ([9, 10], [6, 10]))
  t.notOk(differ([0, 0], [5, 10]), 'nothing to compare')
  t.notOk(differ([10, 10], [10, 10]), 'no variance')
  const arm = (assigned: number, recorded: number) => ({
    assigned,
    applied: assigned,
    exposed: recorded,
    recorded,
  })
  t.ok(losesUnevenly([arm(5000, 5000), arm(5000, 4500)]))
})

t.test('a ledger’s gap is 0 only when its parts add up to the total', async t => {
  const line = (orders: number, amount: number, refunds = 0) => ({ orders, amount, refunds })
  const ledger = {
    arms: [line(3, 300, 10), line(2, 250)] as [ReturnType<typeof line>, ReturnType<typeof line>],
    excluded: [{ reason: 'bot' as const, ...line(1, 99) }],
    total: line(6, 649, 10),
  }
  t.same(ledgerGap(ledger), { orders: 0, amount: 0, refunds: 0 })
  t.same(ledgerGap({ ...ledger, total: line(6, 650, 10) }), { orders: 0, amount: -1, refunds: 0 })
})
