import t from 'tap'
import {
  dailyResultTable,
  dailyTable,
  resultTable,
  type ExportedTest,
} from '../../../domain/reports/export.ts'
import { exclusionReasons, exclusionWords } from '../../../domain/tests/exclusion-words.ts'
import { orderRow } from '../../../domain/reports/export-orders.ts'
import { emptyTotals } from '../../../domain/reports/goal-result.ts'
import { metricNames, metrics } from '../../../domain/reports/metric.ts'
import { decimalMoney, minorFromDecimal } from '../../../domain/money.ts'
import { speedRows, summarise } from '../../../domain/reports/summary-build.ts'
import { exclusions, type DayTotals } from '../../../domain/reports/summary.ts'
import { csvText } from '../../../engine/reports/csv.ts'
import { fc } from '../../properties.ts'

const days: DayTotals[] = [0, 1].map(arm => ({
  ...emptyTotals,
  day: '2026-11-10',
  arm: arm as 0 | 1,
  visitors: 300,
  buyers: 30 + arm,
  orders: 40,
  revenue: 123_456,
}))
const line = { orders: 0, amount: 0, refunds: 0 },
  stages = { assigned: 0, applied: 0, exposed: 0, recorded: 0 }
const tested = (currency: string): ExportedTest => ({
  goal: 'ConversionRate',
  isImported: false,
  status: 'Active',
  titles: ['A', 'B'],
  currency,
  days,
  from: '2026-11-09',
  to: '2026-11-11',
  paused: new Map([['2026-11-11', 'wholly']]),
  summary: summarise(inputOf(days)),
})
const inputOf = (of: DayTotals[]): Parameters<typeof summarise>[0] => ({
  goal: 'ConversionRate',
  weights: [0.5, 0.5],
  minimumEffect: 0.1,
  plannedVisitors: 1000,
  startAt: 0,
  endsAt: null,
  endedAt: null,
  now: 86_400_000,
  storedVerdict: null,
  days: of,
  recent: { visitors: 0, days: 0 },
  ranFor: 86_400_000,
  devices: [],
  stages: [stages, stages],
  bots: [0, 0],
  botTotals: [emptyTotals, emptyTotals],
  consented: [0, 0],
  speed: speedRows(() => new Map()),
  bothArms: 0,
  setAside: 0,
  ledger: { arms: [line, line], excluded: [], total: line },
  cappedOrders: 0,
  orderCap: null,
})

t.test('money is in whole units of the currency, with its number of decimals', async t => {
  const revenuePerVisitor = (currency: string) =>
    resultTable(tested(currency)).rows.find(row => row[1] === 'Revenue per visitor')![8]
  t.equal(revenuePerVisitor('USD'), 4.1152)
  t.equal(revenuePerVisitor('JPY'), 411.52)
  t.same(
    [
      decimalMoney(5, 'USD'),
      decimalMoney(123_456, 'USD'),
      decimalMoney(7, 'JPY'),
      decimalMoney(1, 'KWD'),
      decimalMoney(-5, 'USD'),
    ],
    ['0.05', '1234.56', '7', '0.001', '-0.05'],
  )
  fc.assert(
    fc.property(
      fc.nat(1e12),
      fc.constantFrom('USD', 'JPY', 'KWD'),
      (minor, currency) => minorFromDecimal(decimalMoney(minor, currency), currency) === minor,
    ),
  )
  for (const text of ['1.005', '-1', '1e3', '', '.5', '1.'])
    t.equal(minorFromDecimal(text, 'USD'), null, text)
})

t.test('each row names its arm and its goal, and whether the goal decides', async t => {
  const { header, rows } = resultTable(tested('USD')),
    daily = dailyResultTable(tested('USD'))
  const deciding = (of: typeof rows) => [
    ...new Set(
      of
        .filter(row => row[header.indexOf('Deciding goal')] === 'yes')
        .map(row => row[header.indexOf('Goal')]),
    ),
  ]
  t.same([deciding(rows), deciding(daily.rows)], [['Conversion rate'], ['Conversion rate']])
  t.same(
    rows.slice(0, 2).map(row => row.slice(3, 5)),
    [
      ['Control', 'A'],
      ['Variant', 'B'],
    ],
  )
  t.equal(daily.rows.length, 3 * rows.length, 'one set of rows for each of three days')
})

t.test('a lift comes with the means behind it, and every row shows a broken split', async t => {
  const sound = tested('USD'),
    column = (of: ExportedTest, name: string) => {
      const { header, rows } = resultTable(of)
      return rows.map(row => row[header.indexOf(name)])
    }
  const capped = {
    ...sound,
    days: days.map(day => ({
      ...day,
      cappedRevenue: 120_000,
      cappedRevenueSquares: 8e8,
      orderSquares: 70,
      cappedRevenueOrders: 2e5,
    })),
  }
  const of = (weights: [number, number], goal: ExportedTest['goal']): ExportedTest => ({
    ...capped,
    goal,
    summary: summarise({
      ...inputOf(capped.days),
      goal,
      weights,
      orderCap: 50_000,
      cappedOrders: 2,
    }),
  })
  const whole = of([0.5, 0.5], 'RevenuePerSession')
  t.same(column(whole, 'Value used for the lift').slice(4, 6), [4, 4])
  t.same(column(whole, 'Order cap').slice(0, 6), [null, null, 500, 500, 500, 500])
  t.same(column(whole, 'Orders capped').slice(3, 5), [2, 2])
  t.same(
    column(whole, 'Verdict').filter(word => word !== null),
    ['Collecting'],
  )
  t.same([...new Set(column(whole, 'Split check'))], ['passed'])
  t.ok(column(whole, 'Expected loss a month').some(loss => Number(loss) > 0))
  const broken = of([0.9, 0.1], 'RevenuePerSession')
  t.same([...new Set(column(broken, 'Split check'))], ['broken'])
  for (const name of [
    'Value used for the lift',
    'Lift',
    'Lift, low end (90%)',
    'Lift, high end (90%)',
    'Chance to win',
    'Expected loss a month',
  ])
    t.same([...new Set(column(broken, name))], [null], name)
  t.same(column(broken, 'Verdict')[5], 'Split broken')
  t.ok(column(broken, 'Split check, p').every(p => Number(p) > 0 && Number(p) < 0.001))
})

t.test(
  'an order without a visitor has the same words everywhere: no consent is only one of the reasons',
  async t => {
    t.equal(exclusionWords.noConsent, exclusionReasons.noConsent)
    t.match(exclusionWords.noConsent, 'no visitor known')
  },
)

t.test(
  'each day of the test has a row for each arm, with or without visitors, and a column for every metric',
  async t => {
    const { header, rows } = dailyTable(tested('USD'))
    t.equal(header.length, 5 + metricNames.length)
    t.same(header.slice(0, 7), [
      'Day',
      'Arm',
      'Name',
      'Paused',
      'Visitors',
      metrics[metricNames[0]!].label,
      metrics[metricNames[1]!].label,
    ])
    t.equal(header[5 + metricNames.indexOf('Revenue')], 'Revenue, USD')
    const bounce = 5 + metricNames.indexOf('BounceRate'),
      ofImport = { ...tested('USD'), isImported: true }
    t.ok(
      rows[2]![bounce] !== null &&
        dailyTable({ ...ofImport, days: days.map(day => ({ ...day, bounces: day.visitors })) })
          .rows[2]![bounce] === null,
      'an imported file without page views has no bounce rate',
    )
    t.ok(
      dailyTable({ ...ofImport, days: days.map(day => ({ ...day, bounces: day.visitors - 1 })) })
        .rows[2]![bounce] !== null,
    )
    t.same(
      rows.map(row => [row[0], row[1], row[3], row[4]]),
      ['2026-11-09', '2026-11-10', '2026-11-11'].flatMap(day =>
        ['Control', 'Variant'].map(arm => [
          day,
          arm,
          day === '2026-11-11' ? 'wholly' : 'no',
          day === '2026-11-10' ? 300 : 0,
        ]),
      ),
    )
    t.ok(rows.every(row => row.length === header.length))
  },
)

t.test(
  'every exclusion reason has its own words, and an order without further facts has empty cells',
  async t => {
    t.equal(new Set(exclusions.map(reason => exclusionReasons[reason])).size, exclusions.length)
    const row = orderRow(
      {
        name: '#1',
        created: '2026-11-10 09:00:00',
        arm: 0,
        reason: 'noConsent',
        way: 'none',
        type: 'oneTime',
        amount: 1,
        refunded: 0,
        device: null,
        channel: null,
        isNew: null,
        country: null,
        met: null,
        lines: null,
      },
      'USD',
      ['A', 'B'],
    )
    t.equal(
      csvText([row]),
      '#1,2026-11-10 09:00:00,,,no,"no visitor known (no consent, or not bought in the online shop)",one-time,0.01,0.00,USD,,,,,,,,not known\r\n',
    )
  },
)

t.test(
  'a cell that a spreadsheet reads as a formula is escaped; a negative number stays a number',
  async t => {
    for (const text of ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\0=1'])
      t.match(csvText([[text]]), /^"?'/, JSON.stringify(text))
    t.equal(
      csvText([[-0.25, { plain: '-1.50' }, 'plain', null, 'a,b', 'say "so"']]),
      '-0.25,-1.50,plain,,"a,b","say ""so"""\r\n',
    )
  },
)
