import t from 'tap'
import {
  type DiscountInput,
  discountProblems,
  discountValue,
  endOfDay,
} from '../../../domain/staff/staff-discounts.ts'
import { headerProblem, isCellProblem, readEarnings } from '../../../domain/staff/staff-earnings.ts'
import type { Plan } from '../../../domain/plans/plan.ts'

const now = new Date('2026-11-20T12:00:00Z')
const plan = (id: string, price: number, available = true): Plan => ({
  id,
  level: 1,
  title: id,
  limit: 1000,
  price,
  isAnnual: false,
  requireAppointment: false,
  available,
})
const plans = [plan('core', 39), plan('dear', 499), plan('agreed', 0), plan('old', 5_000, false)]
const code: DiscountInput = {
  code: 'Kiln-20',
  valueType: 0,
  value: 20,
  planId: null,
  expiresAt: null,
  maxStores: null,
}
const wrong = (over: Partial<DiscountInput>) =>
  discountProblems({ ...code, ...over }, plans, now).map(
    ({ field, message }) => `${field}: ${message}`,
  )

t.test('valid discounts are accepted, and each wrong field has a message', async t => {
  const fixed = { valueType: 1 } as const
  for (const over of [
    {},
    { code: 'ab1' },
    { value: 1 },
    { value: 99 },
    { ...fixed, value: 100 },
    { ...fixed, value: 498 },
    { ...fixed, value: 38, planId: 'core' },
    { expiresAt: '2036-11-20T00:00:00Z' },
    { expiresAt: '2026-11-20T12:00:01Z' },
    { maxStores: 1 },
    { maxStores: 1_000_000 },
  ])
    t.same(wrong(over), [], JSON.stringify(over))
  t.same(wrong({ code: ' ' }), ['code: Enter a code.'])
  for (const text of ['ab', 'a b c', '-abc', 'abc-', 'ä123', 'x'.repeat(33)])
    t.match(wrong({ code: text }), [/^code: Use 3 to 32 letters/], text)
  for (const value of [0, 1.5, -1, 100, 250])
    t.same(wrong({ value }), ['value: Enter whole percents, from 1 to 99.'], String(value))
  for (const value of [0, 1.5])
    t.same(wrong({ ...fixed, value }), ['value: Enter whole dollars, at least 1.'])
  t.match(wrong({ ...fixed, value: 1_000_001 }), [/at most 1,000,000/])
  for (const value of [499, 500])
    t.match(
      wrong({ ...fixed, value }),
      [/^value: Enter less than the price of the most expensive plan/],
      'the discount would reduce every available price to 0',
    )
  for (const value of [39, 40])
    t.match(wrong({ ...fixed, value, planId: 'core' }), [
      /^value: Enter less than the plan’s price, 39 dollars/,
    ])
  t.match(wrong({ planId: 'gone' }), [/^planId/])
  for (const expiresAt of [
    '2026-02-30T23:59:59Z',
    'soon',
    '2027-01-01',
    '2027-13-01T00:00:00Z',
    '2027-01-01Tlate',
  ])
    t.same(wrong({ expiresAt }), ['expiresAt: There is no such day.'], expiresAt)
  for (const expiresAt of ['2026-11-20T12:00:00Z', '2025-01-01T00:00:00Z'])
    t.match(wrong({ expiresAt }), [/^expiresAt: Choose today or a later day/])
  t.match(wrong({ expiresAt: '2036-11-23T00:00:00Z' }), [
    /^expiresAt: Choose a day within ten years/,
  ])
  for (const maxStores of [0, 1.5, 1_000_001]) t.match(wrong({ maxStores }), [/^maxStores/])
})

t.test('a code’s value and last day have their text', async t => {
  t.same(
    [discountValue({ valueType: 0, value: 20 }), discountValue({ valueType: 1, value: 20 })],
    ['20%', '$20'],
  )
  t.same(['2027-01-31', '2027-1-31', 'soon', '2027-01-31T10:00:00Z'].map(endOfDay), [
    '2027-01-31T23:59:59.999Z',
    '2027-1-31',
    'soon',
    '2027-01-31T10:00:00Z',
  ])
})

t.test(
  'a row of an earnings file gives its amounts, or names the first column that is wrong',
  async t => {
    t.equal(headerProblem([' Month', 'shop', 'PLAN', 'gross', 'fee', 'net']), null)
    for (const header of [
      ['month', 'shop', 'plan', 'gross', 'fee'],
      ['month', 'shop', 'plan', 'gross', 'fee', 'net', 'more'],
      ['shop', 'month', 'plan', 'gross', 'fee', 'net'],
    ])
      t.match(headerProblem(header), /^The first row must be/)
    const read = (...cells: string[]) => {
      const row = readEarnings(cells, 4, { planIds: new Set(['core']), today: '2026-11' })
      return isCellProblem(row) ? `${row.row} ${row.column}` : row
    }
    t.same(read('2026-11', 'fern.shop.test', ' core ', '199.00', '9.95', '189.05'), {
      month: '2026-11',
      shop: 'fern.shop.test',
      planId: 'core',
      gross: 19_900,
      fee: 995,
      net: 18_905,
    })
    t.match(
      read('2026-10', 'fern.shop.test', 'core', '-199.00', '-0', '-199'),
      { gross: -19_900, fee: 0, net: -19_900 },
      'a refund',
    )
    t.match(read('2026-10', 'fern.shop.test', 'core', '10000000.00', '0', '10000000'), {
      gross: 1e9,
    })
    t.equal(read('2026-11', 'fern.shop.test', 'core', '1', '1'), '4 null')
    t.equal(read('2026-13', 'fern.shop.test', 'core', '1', '0', '1'), '4 month')
    t.equal(read('2026-12', 'fern.shop.test', 'core', '1', '0', '1'), '4 month', 'is in the future')
    for (const shop of [
      'Fern.shop.test',
      'fern',
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.ef`,
    ])
      t.equal(read('2026-11', shop, 'core', '1', '0', '1'), '4 shop', shop)
    t.equal(read('2026-11', 'fern.shop.test', 'gone', '1', '0', '1'), '4 plan')
    for (const [gross, fee, net, column] of [
      ['$1', '0', '1', 'gross'],
      ['1', '1,5', '1', 'fee'],
      ['1', '0', '--1', 'net'],
      ['10000000.01', '0', '10000000.01', 'gross'],
      ['2', '1', '2', 'net'],
    ] as const)
      t.equal(
        read('2026-11', 'fern.shop.test', 'core', gross, fee, net),
        `4 ${column}`,
        `${gross} ${fee} ${net}`,
      )
  },
)
