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

t.test('figures read as a person writes them', async t => {
  t.equal(formatCount(29104), '29,104')
  t.equal(formatRate(0.0418), '4.18%')
  t.equal(formatLift(0.1284), '+12.8%')
  t.equal(formatLift(-0.1666), '−16.7%')
  t.equal(formatLift(-0.0001), '0.0%', 'no signed zero')
  t.same([0.582, 0.99999, 0.999, 0.0002].map(formatChance), ['58.2%', '> 99.9%', '99.9%', '< 0.1%'])
  t.equal(formatGoal('AverageOrderValue', 6318, 'USD'), '$63.18')
  t.equal(formatGoal('RevenuePerSession', 277, 'JPY'), '¥277')
  t.equal(formatGoal('ConversionRate', null, 'USD'), '–')
})

t.test('instants are read in the shop’s own zone', async t => {
  t.equal(formatMoment('2026-11-05T02:30:00Z', 'America/New_York'), '4 Nov, 21:30')
  const now = new Date('2027-01-01T03:00:00Z')
  t.equal(
    formatMoment('2026-11-05T02:30:00Z', 'America/New_York', now),
    '4 Nov, 21:30',
    'it is still the old year there',
  )
  t.equal(formatMoment('2026-11-05T02:30:00Z', 'UTC', now), '5 Nov 2026, 02:30')
  t.same(
    ['2026-12-31', '2027-01-01'].map(day => formatNearDay(day, now)),
    ['31 Dec 2026', '1 Jan'],
  )
  t.equal(formatDate('2026-11-05T02:30:00Z', 'Europe/Berlin'), '5 Nov 2026')
  t.equal(formatDay('2026-11-04'), '4 Nov')
})

t.test('a change is named in one line', async t => {
  t.equal(describeChange({ kind: 'style', name: 'color', value: 'red' }), 'Style: color red')
  t.equal(describeChange({ kind: 'hide', name: 'left over', value: 'left over' }), 'Hide')
  t.equal(describeChange({ kind: 'text', name: '', value: ' ' }), 'Text')
})

t.test('an uneven loss is one that chance does not explain', async t => {
  // z of 98.3% against 98.3% is near 0; of 98.3% against 93.1%, above 30; of 9 in 10 against 6 in 10, 1.55.
  t.notOk(differ([29104, 29611], [28982, 29494]))
  t.ok(differ([29104, 29611], [27460, 29494]))
  t.notOk(differ([9, 10], [6, 10]))
  t.notOk(differ([0, 0], [5, 10]), 'nothing to compare')
  t.notOk(differ([10, 10], [10, 10]), 'no spread')
  const arm = (assigned: number, recorded: number) => ({
    assigned,
    applied: assigned,
    exposed: recorded,
    recorded,
  })
  t.ok(losesUnevenly([arm(5000, 5000), arm(5000, 4500)]))
})

t.test('a ledger closes only when every part is in it', async t => {
  const line = (orders: number, amount: number, refunds = 0) => ({ orders, amount, refunds })
  const ledger = {
    arms: [line(3, 300, 10), line(2, 250)] as [ReturnType<typeof line>, ReturnType<typeof line>],
    excluded: [{ reason: 'bot' as const, ...line(1, 99) }],
    total: line(6, 649, 10),
  }
  t.same(ledgerGap(ledger), { orders: 0, amount: 0, refunds: 0 })
  t.same(ledgerGap({ ...ledger, total: line(6, 650, 10) }), { orders: 0, amount: -1, refunds: 0 })
})
