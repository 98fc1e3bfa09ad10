import t from 'tap'
import { metricNames, metricOfSlug, metricSlug } from '../../domain/reports/metric.ts'
import { rateSpeed } from '../../domain/reports/speed.ts'
import { lostAt, worstStep } from '../../domain/reports/stage-check.ts'
import type { DailyPoint } from '../../domain/reports/summary.ts'
import { trendDays, trendOf } from '../../domain/trend.ts'

const point = (
  i: number,
  count: number,
  denominator: number | null,
  paused: DailyPoint['paused'] = 'no',
): DailyPoint => {
  const arm = {
    visitors: denominator ?? 10,
    count,
    denominator,
    value: denominator === 0 ? null : count / (denominator ?? 1),
  }
  return {
    day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
    arms: [arm, arm],
    chanceToWin: null,
    paused,
  }
}

t.test('a trend is the figure of the last days together', async t => {
  const rates = Array.from({ length: 9 }, (_, i) => point(i, i < 7 ? 1 : 10, i < 7 ? 10 : 10))
  t.same(
    trendOf('ConversionRate', rates, 0, 7),
    [null, null, null, null, null, null, 7 / 70, 16 / 70, 25 / 70],
    'the trend of a rate adds up the days’ counts and denominators',
  )
  const counts = Array.from({ length: 8 }, (_, i) => point(i, i, null))
  t.same(
    trendOf('Orders', counts, 1, 7),
    [null, null, null, null, null, null, 3, 4],
    'the trend of a count is its mean per day',
  )
  const paused = Array.from({ length: 8 }, (_, i) =>
    point(i, i === 6 ? 0 : 7, null, i === 6 ? 'wholly' : 'no'),
  )
  t.same(trendOf('Orders', paused, 0, 7).slice(6), [null, 7], 'a paused day does not count')
  t.same(
    trendOf(
      'BounceRate',
      Array.from({ length: 7 }, (_, i) => point(i, 0, 0)),
      0,
      7,
    ).at(-1),
    null,
    'the denominator is 0',
  )
  t.same([28, 120, 121, 365, 730].map(trendDays), [0, 0, 7, 7, 28])
})

t.test('every metric has its own word in an address', async t => {
  t.equal(new Set(metricNames.map(metricSlug)).size, 12)
  for (const metric of metricNames) t.equal(metricOfSlug(metricSlug(metric)), metric)
  t.equal(metricSlug('RevenuePerSession'), 'revenue-per-visitor')
  for (const nonsense of ['', 'happiness', 'Orders', '__proto__', 'constructor'])
    t.equal(metricOfSlug(nonsense), null, nonsense)
})

t.test('the worst step is where the arms differ most; none while they lose equally', async t => {
  const of = (assigned: number, applied: number, exposed: number, recorded: number) => ({
    assigned,
    applied,
    exposed,
    recorded,
  })
  t.equal(worstStep([of(5000, 4900, 4800, 4750), of(5000, 4890, 4790, 4760)]), null)
  t.same(worstStep([of(5000, 4990, 4900, 4890), of(5000, 4980, 4300, 4290)]), {
    from: 'applied',
    to: 'exposed',
    arm: 1,
  })
  t.same(worstStep([of(5000, 4000, 4000, 4000), of(5000, 4990, 4980, 4980)]), {
    from: 'assigned',
    to: 'applied',
    arm: 0,
  })
  t.equal(lostAt(of(200, 150, 150, 150), 'applied'), 0.25)
  t.equal(lostAt(of(200, 150, 150, 150), 'assigned'), null)
  t.equal(lostAt(of(0, 0, 0, 0), 'applied'), null)
})

t.test(
  'page speed is rated by the published limits, and a value at a limit gets the better rating',
  async t => {
    t.same(
      [2500, 2501, 4000, 4001].map(value => rateSpeed('lcp', value)),
      ['good', 'middling', 'middling', 'poor'],
    )
    t.same(
      [100, 250, 251].map(value => rateSpeed('cls', value)),
      ['good', 'middling', 'poor'],
    )
  },
)
