import t from 'tap'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Test } from '../../../domain/tests/ab-test.ts'
import type { PerArm } from '../../../domain/arm.ts'
import { breakdownPage } from '../../../domain/reports/breakdown.ts'
import { emptyTotals } from '../../../domain/reports/goal-result.ts'
import { metricNames, metrics } from '../../../domain/reports/metric.ts'
import { speedPlace } from '../../../domain/reports/speed.ts'
import { speedRows } from '../../../domain/reports/summary-build.ts'
import type { DayTotals } from '../../../domain/reports/summary.ts'
import { tests } from '../../../views/design/design-example-tests.ts'
import { nothingChosen } from '../../../views/reports/report-links.ts'
import { BreakdownCard } from '../../../views/reports/tabs/report-tab-breakdown.tsx'
import { usualList } from '../../../views/reports/tabs/report-tab-links.tsx'
import { dayOf } from '../../domain/support/results.ts'
import { textOf } from '../support/merchant.ts'
import { type Input, overview, even, line, honest } from '../support/report-views-page.ts'

t.test('each unusual result is displayed correctly', async t => {
  const nobody = overview(0, [
    { visitors: 0, buyers: 0 },
    { visitors: 0, buyers: 0 },
  ])
  honest(t, nobody, 'no visitors')
  for (const words of [
    'Collecting',
    '0 of 100',
    'Checks start with the first visitors',
    'Waiting for visitors',
    'Not measured yet',
    'No visitor has been counted yet',
    'Charts appear with the first visitor',
  ])
    t.match(nobody.text, words)

  const oneLacks = overview(3, [
    { visitors: 1000, buyers: 30 },
    { visitors: 1000, buyers: 2 },
  ])
  honest(t, oneLacks, 'buyers enough in all, too few in one arm')
  t.match(oneLacks.text, /Buyers in both arms 32, enough .*Buyers in the variant 2 of 5/)
  t.notMatch(oneLacks.text, 'Buyers in control')

  const lopsided = overview(3, [
    { visitors: 6, buyers: 1 },
    { visitors: 0, buyers: 0 },
  ])
  honest(t, lopsided, 'one arm only')
  t.match(lopsided.text, /seen 100\.0% \/ 0\.0%/)
  t.match(lopsided.text, 'Collecting')
  const oneArm = overview(8, [
    { visitors: 600, buyers: 30 },
    { visitors: 0, buyers: 0 },
  ])
  honest(t, oneArm, 'one arm of a large test')
  t.match(oneArm.text, 'Split broken')
  t.match(
    oneArm.text,
    'No step below loses more visitors in one arm',
    'the page says that the steps do not explain it',
  )

  const free = overview(8, even, {
    goal: 'RevenuePerSession',
    days: [dayOf('2026-11-02', 0, 5000, 150, 0), dayOf('2026-11-02', 1, 5000, 160, 0)],
  })
  honest(t, free, 'zero revenue')
  t.match(free.text, /RPV Revenue per visitor Primary – nothing to compare/)
  t.match(free.text, '$0.00')

  const giant = [
    dayOf('2026-11-02', 0, 5000, 150),
    dayOf('2026-11-02', 1, 5000, 160),
  ] as DayTotals[]
  giant[1] = {
    ...giant[1]!,
    revenue: giant[1]!.revenue + 90_000_00,
    orders: 161,
    buyers: 161,
    cappedRevenue: giant[1]!.cappedRevenue + 51_000,
    cappedRevenueSquares: giant[1]!.cappedRevenueSquares + 51_000 ** 2,
  }
  const capped = overview(8, even, {
    goal: 'RevenuePerSession',
    days: giant,
    cappedOrders: 1,
    orderCap: 51_000,
  })
  honest(t, capped, 'one giant order')
  t.match(capped.text, /For the lift, 1 order was capped at \$510\.00\./)
  t.match(capped.text, /\$\d\.\d\d capped/, 'the mean behind the lift is next to the raw mean')

  const refunded = overview(8, even, {
    ledger: {
      arms: [line(150, 750_000, 900_000), line(160, 800_000)],
      excluded: [],
      total: line(310, 1_550_000, 900_000),
    },
  })
  honest(t, refunded, 'refunds over the amount')
  t.match(refunded.text, /Control arm 150 \$7,500\.00 \$9,000\.00/)
  t.match(refunded.text, 'Adds up to the cent')

  t.match(
    overview(8, even, { bothArms: 3 }).text,
    '3 visitors were seen in both arms and are counted in neither.',
  )
})

t.test(
  'an imported test shows no check as passed that was not made, and the axis fits the goal’s interval',
  async t => {
    const { html, text } = overview(
      28,
      [
        { visitors: 200, buyers: 30 },
        { visitors: 200, buyers: 46 },
      ],
      {},
      { isImported: true, status: 'Ended', endedAt: '2026-11-30T00:00:00.000Z' },
    )
    t.equal(text.match(/Not in the file/g)?.length, 4)
    t.match(text, '1 of 2 checks passed')
    t.match(text, /Orders of the file[\s\S]*Total of the file/)
    t.notMatch(text, /none lost|Your shop did not ask|Browsers report the speed/)
    t.notMatch(html, /ask=apply/)
    t.match(text, '90% interval of the lift 0 +100% Chance to win')
    t.match(html, /<circle class="point"/)
    t.match(html, /id="daily-as-table" hx-preserve="true"/)
  },
)

t.test('a broken split removes the colours of all lifts, and no winner is named', async t => {
  const { html, text } = overview(
    20,
    [
      { visitors: 12_000, buyers: 300 },
      { visitors: 10_000, buyers: 900 },
    ],
    {
      storedVerdict: {
        kind: 'winner',
        reachedAt: '2026-11-16T10:00:00.000Z',
        lift: 0.4,
        chanceToWin: 0.99,
      },
    },
  )
  t.match(text, 'Split broken')
  t.notMatch(html, /class="(lift|tone|chance|interval)[^"]*" data-tone="(good|bad)"/)
  t.notMatch(html, /class="button"[^>]*ask=apply-variant/)
  t.notMatch(text, /Winner|turns .* more visitors|Risk of/)
  t.match(text, 'CVR Conversion rate Primary – not compared')
  t.equal(
    text.match(/Not compared: the traffic split is broken\./g)?.length,
    2,
    'below the result and in the print view',
  )
  t.notMatch(text, /[+−]\d+\.\d%|\d% to win/)
  t.notMatch(html, /chart-chance/)
  t.match(
    text,
    /Daily visitors .* No chance to win: the traffic split is broken/,
    'the chart of daily visitors shows since when',
  )
})

t.test(
  'a list shows the goal’s capped mean next to the raw one, and names facts that an imported file does not have',
  async t => {
    const totals = ([0, 1] as const).map(arm => ({
      ...dayOf('2026-11-02', arm, 5000, 150),
      revenue: 1_000_000 - 500_000 * arm,
      cappedRevenue: 500_000,
    })) as unknown as PerArm<DayTotals>
    const list = {
      goal: 'RevenuePerSession' as const,
      ...breakdownPage([{ value: 'desktop', totals, units: [0, 0] }], {
        breakdown: 'device',
        goal: 'RevenuePerSession',
        sort: 'visitors',
        descending: true,
        page: 0,
        pageSize: 10,
      }),
    }
    const state = {
      ...nothingChosen,
      testId: tests.leaning.id,
      tab: 'devices' as const,
      list: usualList('devices'),
      second: usualList('devices'),
      pageSize: 10,
      search: '',
      kind: null,
      goal: null,
    }
    const card = (breakdown: 'device' | 'country', about: Partial<Test>) =>
      textOf(
        renderToString(
          h(BreakdownCard, {
            breakdown,
            state,
            list,
            currency: 'USD',
            test: {
              ...tests.leaning,
              ...about,
              summary: { ...tests.leaning.summary, cappedOrders: 2, orderCap: 51_000 },
            },
          }),
        ),
      )
    t.match(
      card('device', {}),
      /\$2\.00 \$1\.00 capped .* Variant .* \$33\.33 \$1\.00 50\.00% /,
      'in the row with a capped order',
    )
    t.match(card('device', {}), 'For the lift, 2 orders were capped at $510.00 in the whole test.')
    t.match(
      card('device', { isImported: true }),
      'Visitors without a device in the file count as desktop.',
    )
    t.match(
      card('device', { isImported: true, notInFile: ['device'] }),
      'Not in the file The imported file does not say what device a visitor had.',
    )
  },
)

t.test(
  'orders without a visitor are not called refusals, and every mean next to a lift has the capped one',
  async t => {
    const unknown = overview(8, even, {
      ledger: {
        arms: [line(150, 750_000), line(160, 800_000)],
        excluded: [{ reason: 'noConsent', ...line(12, 60_000) }],
        total: line(322, 1_610_000),
      },
    })
    t.match(
      unknown.text,
      '12 orders without a known visitor (consent refused, or not bought in the online shop) are listed in the ledger as left out.',
    )
    t.match(
      unknown.text,
      'Left out: no visitor known (no consent, or not bought in the online shop) 12',
    )
    t.notMatch(unknown.text, 'shoppers who refused')

    const giant = [
      dayOf('2026-11-02', 0, 5000, 150),
      dayOf('2026-11-02', 1, 5000, 160),
    ] as DayTotals[]
    giant[1] = { ...giant[1]!, revenue: giant[1]!.revenue + 90_000_00 }
    const { html } = overview(8, even, { days: giant, cappedOrders: 1, orderCap: 51_000 })
    const printed = textOf(
      html.slice(
        html.indexOf('id="all-goals"'),
        html.indexOf('</section>', html.indexOf('id="all-goals"')),
      ),
    )
    t.equal(
      printed.match(/ capped /g)?.length,
      3,
      'once for each money goal of the variant and once in the note',
    )
    t.match(printed, 'For the lift, 1 order was capped at $510.00.')
  },
)

t.test('a losing variant is named, and applying it is not offered', async t => {
  const { html, text } = overview(14, [
    { visitors: 20_000, buyers: 850 },
    { visitors: 20_000, buyers: 600 },
  ])
  t.match(html, /class="verdict" data-tone="bad"/)
  t.match(text, /turns 29\.4% fewer visitors into buyers/)
  t.match(text, /Risk of keeping the control: less than \$1 a month on average/)
  t.notMatch(html, /class="button"[^>]*ask=apply-variant/)
})

t.test('checks name the arm that loses visitors, is slower or has less consent', async t => {
  const stages: Input['stages'] = [
    { assigned: 5100, applied: 5090, exposed: 5000, recorded: 5000 },
    { assigned: 5700, applied: 5680, exposed: 5010, recorded: 5000 },
  ]
  const heavy = speedRows(
    (metric, arm) =>
      new Map([[speedPlace(metric === 'lcp' ? (arm === 1 ? 3600 : 1500) : 20), 900]]),
  )
  const { text, html } = overview(8, even, { stages, speed: heavy, consented: [3000, 3900] })
  t.match(
    text,
    /The gap opens between applied and exposed: the variant loses 11\.8% of its visitors there, the control 1\.8%\./,
  )
  t.match(text, 'Variant is slower')
  t.match(
    text,
    /The variant shows its main content later than the control: 3\.\d\d s against 1\.\d\d s\. .*the change itself may be better than its figures/,
  )
  t.match(
    text,
    /LCP Largest contentful paint 1\.\d\d s Good 900 pages 3\.\d\d s Needs work 900 pages/,
  )
  t.match(
    text,
    /60\.0% in control and 78\.0% in the variant said yes\. The others were not asked\. A gap this large is almost never chance/,
  )
  t.match(html, /<span class="badge" data-tone="warn">/)
  const speed = (pages: (arm: number) => number) =>
    overview(8, even, { speed: speedRows((_, arm) => new Map([[speedPlace(20), pages(arm)]])) })
      .text
  t.match(
    speed(() => 12),
    /Page speed Too few pages yet/,
    '12 pages are too few to call the arms equal',
  )
  t.match(
    speed(arm => 4000 * arm),
    /Page speed Only measured in the variant .* No browser has reported the speed of the control/,
  )
  t.match(
    speed(() => 900),
    /Page speed Measured in few browsers .* Fewer than half of the visitors’ browsers report their speed\..* Safari/,
    'arms are not called equal when most browsers do not report speed',
  )
  t.match(
    speed(() => 4000),
    /Page speed Same in both arms 75%/,
  )
  t.match(overview(8, even).text, 'Your shop did not ask these visitors for consent.')

  t.notMatch(overview(8, even).text, 'Networks that stand out')
  t.match(
    overview(8, even, { aside: { visitors: [3, 384], networks: 1, warned: 0 } }).text,
    /Networks that stand out 387 set aside 387 visitors from one network were set aside\./,
  )
  t.match(
    overview(8, even, { aside: { visitors: [0, 0], networks: 0, warned: 1 } }).text,
    /One network brought far more new visitors within an hour than is usual for your shop\. Its visitors ordered too, so they are counted\./,
  )
  const bots = overview(14, even, {
    bots: [40, 41],
    botTotals: [
      { ...emptyTotals, visitors: 40 },
      {
        ...emptyTotals,
        visitors: 41,
        buyers: 41,
        orders: 41,
        revenue: 4100,
        cappedRevenue: 4100,
        cappedRevenueSquares: 410_000,
        orderSquares: 41,
        cappedRevenueOrders: 4100,
      },
    ],
  })
  t.match(bots.text, /Bots excluded: 81 visitors \(0\.8% of control, 0\.8% of the variant\)\./)
  t.match(
    overview(14, even, { bots: [4000, 4100] }).html,
    /data-tone="warn"><svg[^>]*>(?:(?!<\/svg>).)*<\/svg>44\.8% of visitors</,
    'with nearly half bots there is a warning, not a green tick',
  )
  t.match(
    bots.text,
    /Without bots \(as reported\) 5,000 5,000 \+6\.7% 71\.\d% No clear difference With bots 5,040 5,041 \+3\d\.\d% 9\d\.\d% Winner/,
  )
})

t.test(
  'each of the twelve metrics has a daily chart in its unit, and paused days are named in words',
  async t => {
    const format = { count: /Variant [\d,]+\b/, money: /\$[\d,.]+/, rate: /\d+\.\d\d%/ }
    for (const metric of metricNames) {
      const { html, text } = overview(3, even, {}, {}, metric)
      honest(t, { text }, metric)
      const table = textOf(
        /aria-label="Daily [^"]* as a table">([\s\S]*?)<\/table>/.exec(html)![1]!,
      )
      t.match(table, /2 Nov .* 3 Nov \(paused\) .* 4 Nov \(paused in part\) .* 5 Nov/, metric)
      t.match(table.replace('2 Nov', 'Variant'), format[metrics[metric].unit], metric)
      t.match(
        html,
        new RegExp(`<option value="[a-z-]+" selected[^>]*>${metrics[metric].label}</option>`),
        metric,
      )
    }
  },
)

t.test(
  'a paused day is not drawn, even with some visitors from before all pages knew of the pause',
  async t => {
    const days = (['2026-11-02', '2026-11-03', '2026-11-05'] as const).flatMap(day =>
      ([0, 1] as const).map(arm => dayOf(day, arm, 5000, 150)),
    )
    for (const metric of ['Orders', 'ConversionRate', 'AverageOrderValue'] as const) {
      const { html } = overview(3, even, { days }, {}, metric)
      const { series } = JSON.parse(
        /id="chart-daily"[\s\S]*?<script type="application\/json">([\s\S]*?)<\/script>/.exec(
          html,
        )![1]!,
      ) as { series: { values: (number | null)[] }[] }
      for (const { values } of series)
        t.same(
          values.map(value => value === null),
          [false, true, metric !== 'Orders', false],
          metric,
        )
    }
  },
)
