import t from 'tap'
import { startMerchant, textOf } from '../support/merchant.ts'
import { launchTest as launch, visit } from '../support/shoppers.ts'

const merchant = await startMerchant()
const { engine, get, post, close } = merchant
t.teardown(close)
const hour = 3_600_000,
  day = 24 * hour
const pass = (time: number) => {
  engine.now.at = new Date(engine.now.at.getTime() + time)
}
// End all tests first: two tests on the same pages would share their visitors.
const launchTest: typeof launch = async (...about) => {
  await merchant.call('endAllTests', { body: { priceTestsOnly: false } })
  return launch(...about)
}
const textAt = async (path: string) => textOf((await get(path)).body)

t.test('a test without visitors says what it waits for, and shows no result', async t => {
  const id = await launchTest(merchant, 'Just launched')
  const { statusCode, body } = await get(`/tests/${id}`)
  const text = textOf(body)
  t.equal(statusCode, 200)
  for (const words of [
    'Just launched',
    'Running',
    'Collecting',
    'Day 1 of 14',
    '50 / 50 split',
    'Page element test on /products/*',
    '0 of 100',
    '0 of 25',
    'Charts appear with the first visitor',
    'Checks start with the first visitors',
    'Waiting for visitors',
    'Waiting for orders',
  ])
    t.match(text, words)
  t.notMatch(text, /% to win|NaN|undefined|null|Infinity/)
  t.notMatch(text, /Export|Apply/, 'nothing is offered that does not exist yet')
  t.equal(
    textOf((await get(`/tests/${id}/overview`)).body).length,
    text.length,
    'the overview has its own address',
  )
})

t.test('the report shows exactly what the shoppers did, to the unit and the cent', async t => {
  const id = await launchTest(merchant, 'Ships today', { variantTitle: 'Promise by the button' })
  pass(hour)
  await visit(merchant, id, [
    { arm: 0, visitors: 130, clickers: 60, adders: 40, buyers: 20, price: '34.50' },
    { arm: 1, visitors: 128, clickers: 64, adders: 52, buyers: 44, price: '34.25' },
  ])
  const { body } = await get(`/tests/${id}`)
  const rows = [...body.matchAll(/<tr>(?:(?!<\/tr>)[\s\S])*<\/tr>/g)].map(m => textOf(m[0]))
  t.ok(
    rows.some(row => /Control 130 20 15\.38% Baseline/.test(row)),
    'control',
  )
  t.ok(
    rows.some(row => /Variant Promise by the button 128 44 34\.38% \+123\.4%/.test(row)),
    'variant',
  )
  t.ok(
    rows.some(row => /Control arm 20 \$690\.00/.test(row)) &&
      rows.some(row => /Variant arm 44 \$1,507\.00/.test(row)) &&
      rows.some(row => /total.* 64 \$2,197\.00/.test(row)),
    'the ledger',
  )
  const text = textOf(body)
  t.match(text, 'Adds up to the cent')
  t.match(text, 'Too early', 'no verdict in the first week, even with a large lead')
  t.match(text, /5 of 6 checks passed/)
  t.match(text, /Page speed Not measured yet/)
  t.match(body, /role="img" aria-label="Lift \+123\.4%, 90% interval \+\d+\.\d% to \+\d+\.\d%"/)
  t.match(body, 'data-island="chart"')

  for (const [goal, count, value] of [
    ['rpv', 44, '$11.77'],
    ['aov', 44, '$34.25'],
    ['ctr', 64, '50.00%'],
    ['acr', 52, '40.63%'],
  ] as const)
    t.match(
      await textAt(`/tests/${id}?goal=${goal}`),
      new RegExp(`Promise by the button 128 ${count} ${value.replace(/[$.]/g, '\\$&')}`),
      goal,
    )
  t.match(
    await textAt(`/tests/${id}?goal=happiness`),
    /Daily conversion rate/,
    'an unknown goal shows the primary one',
  )
  t.notMatch(
    await textAt(`/tests/${id}?goal=ctr`),
    /Expected loss/,
    'clicks have no value in money',
  )

  await t.test('each of the twelve metrics has a daily chart and is in the address', async t => {
    for (const [metric, control, variant] of [
      ['sessions', '130', '128'],
      ['orders', '20', '44'],
      ['revenue', '$690.00', '$1,507.00'],
      ['clicks', '60', '64'],
      ['add-to-carts', '40', '52'],
      ['conversion-rate', '15.38%', '34.38%'],
      ['average-order-value', '$34.50', '$34.25'],
      ['revenue-per-visitor', '$5.31', '$11.77'],
      ['clickthrough-rate', '46.15%', '50.00%'],
      ['bounce-rate', '100.00%', '100.00%'],
      ['add-to-cart-rate', '30.77%', '40.63%'],
      ['conversions', '20', '44'],
    ] as const) {
      const shown = await get(`/tests/${id}?goal=rpv&metric=${metric}`)
      t.match(
        textOf(
          /as a table">((?:(?!as a table">)[\s\S])*?)<\/table>(?![\s\S]*as a table">)/.exec(
            shown.body,
          )![1]!,
        ),
        ` ${control} ${variant} `,
        metric,
      )
      t.match(shown.body, new RegExp(`option value="${metric}" selected`), metric)
      t.match(
        textOf(shown.body),
        'Promise by the button 128 44 $11.77',
        `${metric}: the goal does not change`,
      )
      if (metric !== 'revenue-per-visitor')
        t.match(
          shown.body,
          `?goal=aov&amp;metric=${metric}`,
          `${metric}: links to another goal keep the metric`,
        )
    }
    for (const nonsense of ['happiness', '', 'Orders', '%27', 'orders&metric=clicks'])
      t.equal((await get(`/tests/${id}?metric=${nonsense}`)).statusCode, 200, nonsense)
    t.match(
      await textAt(`/tests/${id}?metric=happiness`),
      /Daily conversion rate/,
      'an unknown metric follows the goal',
    )
  })

  await t.test(
    'each line of the ledger opens its orders, and their total equals the line',
    async t => {
      const dialogOf = (html: string) =>
        /<dialog id="test-orders"[\s\S]*?<\/dialog>/.exec(html)?.[0] ?? ''
      t.match(body, `/tests/${id}?ask=orders&amp;part=variant#ledger`)
      const shown = (
        await get(`/tests/${id}?goal=rpv&metric=orders&device=phone&ask=orders&part=variant`)
      ).body
      t.match(
        shown,
        `/tests/${id}?ask=orders&amp;part=control&amp;device=phone&amp;goal=rpv&amp;metric=orders#ledger`,
        'the link keeps what is shown',
      )
      t.match(
        textOf(shown),
        'Promise by the button 128 44 $11.77',
        'the page under the dialog stays the same',
      )
      t.match(dialogOf(shown), /name="metric" value="orders"/)
      t.match(
        shown,
        `id="tab-devices" href="/tests/${id}/devices?device=phone&amp;goal=rpv&amp;metric=orders"`,
        'the tabs keep it too',
      )
      t.match(
        shown,
        /id="goal-aov" href="[^"]*device=phone&amp;goal=aov&amp;metric=orders"[^>]* hx-sync="#panel:replace"/,
        'the last click on a goal counts',
      )
      const variant = dialogOf((await get(`/tests/${id}?ask=orders&part=variant`)).body)
      t.match(variant, /open/)
      t.match(
        textOf(variant),
        /Orders in the variant arm .* 44 orders \$1,507\.00 – 1–10 of 44, newest first Page 1 of 5/,
      )
      t.equal([...variant.matchAll(/<tbody>/g)].length, 10)
      t.match(textOf(variant), /One-time Variant Saw the test .* \$34\.25/)
      t.match(variant, `/tests/${id}?ask=orders&amp;part=variant&amp;page=1#ledger`)
      t.match(
        textOf(dialogOf((await get(`/tests/${id}?ask=orders&part=variant&page=4`)).body)),
        /44 orders .* 41–44 of 44/,
      )
      t.match(
        textOf(dialogOf((await get(`/tests/${id}?ask=orders&part=control&page=900`)).body)),
        /20 orders \$690\.00 – 1–10 of 20/,
        'a page after the last shows the first',
      )
      t.match(
        textOf(dialogOf((await get(`/tests/${id}?ask=orders&part=nonsense&page=x`)).body)),
        /All orders of the shop .* 64 orders \$2,197\.00/,
        'unknown parameters mean the defaults',
      )
      t.match(
        textOf(dialogOf((await get(`/tests/${id}?ask=orders&search=nothing-like-it`)).body)),
        'No order here begins with “nothing-like-it”.',
      )
    },
  )

  await t.test('at the planned end the report names the winner', async t => {
    pass(14 * day)
    await engine.engine.rollUp()
    const won = await get(`/tests/${id}`)
    t.match(
      textOf(won.body),
      /Winner “Promise by the button” turns 123\.4% more visitors into buyers\./,
    )
    t.match(won.body, /class="verdict" data-tone="good"/)
    t.match(textOf(won.body), /Verdict reached/)
  })
})

t.test('with a broken split there is no winner, and the stage is named', async t => {
  const id = await launchTest(merchant, 'Lopsided')
  pass(hour)
  await visit(merchant, id, [
    { arm: 0, visitors: 200, buyers: 20 },
    { arm: 1, visitors: 120, buyers: 40 },
  ])
  pass(8 * day)
  await engine.engine.rollUp()
  const { body } = await get(`/tests/${id}`)
  const text = textOf(body)
  t.match(body, /class="verdict" data-tone="bad"/)
  t.match(text, 'Split broken')
  t.notMatch(text, 'Expected loss')
  t.match(text, /Updated \d+ \w+, \d\d:\d\d|Updated \d\d:\d\d/)
  t.match(text, /seen 62\.5% \/ 37\.5%/)
  t.match(body, 'href="#trust"')
  t.notMatch(text, 'Winner')
  await t.test(
    'every tab says so, compares nothing, and is not sorted by figures that it does not show',
    async t => {
      const tab = async (path: string) => {
        const { body } = await get(`/tests/${id}/${path}`)
        return {
          body,
          text: textOf(body),
          rows: [...body.matchAll(/<tbody>[\s\S]*?<\/tbody>/g)].map(m => textOf(m[0])),
        }
      }
      const { text, rows } = await tab('devices')
      t.match(text, 'The traffic split is broken, so control and variant cannot be compared.')
      t.match(text, 'Not compared: the traffic split is broken')
      t.match(rows[0], / – – Variant /, 'no lift and no chance')
      const sorted = await tab('devices?sort=lift')
      t.same(sorted.rows, rows)
      t.match(
        sorted.body,
        /aria-sort="descending"><a id="sort-visitors"/,
        'the list has the default order and marks it',
      )
      t.notMatch(sorted.body, /sort-lift|sort-chanceToWin/)
      for (const name of ['subscriptions', 'products'])
        t.notMatch((await tab(name)).text, /is compared once/, name)
      const daily = await merchant.call('dailyBy', { params: { id, metric: 'ConversionRate' } })
      t.ok(
        daily.some(({ arms }) => arms[0].count > 0) &&
          daily.every(({ chanceToWin }) => chanceToWin === null),
        'no day has a chance to win',
      )
    },
  )
})

t.test('hostile titles are escaped in every place', async t => {
  const hostile = '</title></script><script>alert(1)</script>"\u2028'
  const id = await launchTest(merchant, hostile, { variantTitle: hostile })
  pass(hour)
  await visit(merchant, id, [
    { arm: 0, visitors: 2 },
    { arm: 1, visitors: 2 },
  ])
  const { body } = await get(`/tests/${id}`)
  t.notMatch(body, '<script>alert')
  t.notMatch(body, '</title></script>')
})

t.test('the report of an unknown test or of another store is a page that says so', async t => {
  for (const path of [
    '/tests/00000000-0000-4000-8000-000000000000',
    '/tests/nonsense',
    '/tests/x/overview',
  ]) {
    const { statusCode, body } = await get(path)
    t.equal(statusCode, 404, path)
    t.match(body, '<html')
  }
  t.equal((await post('/tests/00000000-0000-4000-8000-000000000000/pause')).statusCode, 404)
})
