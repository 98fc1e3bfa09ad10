import t from 'tap'
import { formatMoney, minorDigits, minorFromDecimal } from '../../../domain/money.ts'
import { goals } from '../../../domain/reports/goal.ts'
import { formatLimit } from '../../../domain/plans/plan.ts'
import { featureFlags, sessionUsage, storeInitials } from '../../../domain/stores/store.ts'

t.test('store initials are derived from the name', async t => {
  for (const [name, initials] of [
    ['Fern & Kiln', 'FK'],
    ['acme', 'A'],
    ['Øst og vest', 'ØO'],
    ['', '?'],
    ['«Ünder» 24', 'Ü2'],
  ] as const)
    t.equal(storeInitials(name), initials, name)
})

t.test('session usage is sessions divided by the limit, as a fraction', async t => {
  t.equal(sessionUsage({ sessions: 84_120, sessionLimit: 100_000 }), 0.8412)
  t.equal(sessionUsage({ sessions: 5, sessionLimit: 0 }), 0)
})

t.test('limits are shown as Nk, NM, or 1M+ for unlimited', async t => {
  t.same([50_000, 100_000, 1_000_000, 2_000_000, 9_999_999].map(formatLimit), [
    '50k',
    '100k',
    '1M',
    '2M',
    '1M+',
  ])
})

t.test('money is formatted from minor units in the given currency', async t => {
  t.equal(formatMoney(8_049_131), '$80,491.31')
  t.equal(formatMoney(1999, 'JPY'), '¥1,999')
  t.equal(formatMoney(7400, 'USD', true), '$74')
  t.equal(minorDigits('KWD'), 3)
  t.equal(formatMoney(123_450, 'HUF'), 'HUF\u00a01,234.50', 'decimals that are rare')
  t.equal(formatMoney(123_400, 'HUF'), 'HUF\u00a01,234')
  t.equal(formatMoney(123_450, 'HUF', true), 'HUF\u00a01,235')
  t.equal(minorFromDecimal('1234.5', 'COP'), 123_450)
})

t.test('the five goals have their labels', async t => {
  t.same(
    Object.entries(goals).map(([name, g]) => [name, g.short, g.label]),
    [
      ['ConversionRate', 'CVR', 'Conversion rate'],
      ['AverageOrderValue', 'AOV', 'Average order value'],
      ['RevenuePerSession', 'RPV', 'Revenue per visitor'],
      ['ClickThroughRate', 'CTR', 'Clickthrough rate'],
      ['AddToCartRate', 'ACR', 'Add-to-cart rate'],
    ],
  )
  t.equal(featureFlags.length, 15)
})
