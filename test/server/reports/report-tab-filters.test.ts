import t from 'tap'
import { textOf } from '../support/merchant.ts'
import { startReportTabs } from '../support/report-tabs-shop.ts'

const { get, id, tab, pageOf, may, meet } = await startReportTabs(t)
await meet()

t.test(
  'filters narrow the figures, stay in the address, and are kept on the other tabs',
  async t => {
    const { rows, body } = await pageOf(tab('channels', '?device=phone'))
    t.same(
      rows.map(row => row.split(' Control')[0]),
      ['Organic search', 'Referral'],
    )
    t.match(body, '<option value="phone" selected>Phone</option>')
    t.match(
      body,
      `href="/tests/${id}/devices?device=phone"`,
      'the link to devices keeps the filter',
    )
    t.match(
      body,
      `href="/tests/${id}/products?device=phone"`,
      'the link to products, which have no such filter, keeps it too',
    )
    const over = await pageOf(
      tab('products', '?device=phone&visitors=new&goal=aov&metric=conversions'),
    )
    t.match(
      over.body,
      `href="/tests/${id}/channels?device=phone&amp;visitors=new&amp;goal=aov&amp;metric=conversions"`,
    )
    t.match(
      over.body,
      `href="/tests/${id}?device=phone&amp;visitors=new&amp;goal=aov&amp;metric=conversions">Overview`,
      'the link back to the overview keeps it',
    )
    t.match(
      over.body,
      '<input type="hidden" name="device" value="phone"/>',
      'the search form keeps it',
    )
    t.match(body, 'hx-sync:inherited="#panel:replace"', 'the last click on a link counts')
    t.match(
      body,
      /<form id="report-filters"[^>]* hx-sync="#panel:replace"/,
      'the last change of a filter counts',
    )
    t.match((await pageOf(tab('products'))).text, 'Whole test, without filters')
    t.match(
      body,
      `href="/tests/${id}/channels?device=phone&amp;sort=lift"`,
      'sorting keeps the filter',
    )
    t.match(body, new RegExp(`href="/tests/${id}/channels">Clear filters</a>`))
    const both = (await pageOf(tab('channels', '?channels=email&channels=referral'))).rows
    t.same(
      both,
      (await pageOf(tab('channels', '?channels=email,referral'))).rows,
      'several channels, as a form sends them and as a link does',
    )
    t.same(
      both.map(row => row.split(' Control')[0]),
      ['Referral', 'Email'].sort(),
    )
    t.same(
      (await pageOf(tab('devices', '?visitors=returning'))).rows.map(row => row.slice(0, 20)),
      ['Desktop Control 0 0 ', 'Phone Control 0 0 $0'],
    )
    t.match((await pageOf(tab('devices', '?device=tablet'))).text, /No visitor matches .*Show all/)
    const printed = (
      await pageOf(
        tab(
          'visitors',
          '?device=phone&visitors=new&channels=email,referral&country=FR&search=blog',
        ),
      )
    ).body
    t.match(
      textOf(/<div class="print-only print-head">[\s\S]*?<\/div>/.exec(printed)![0]),
      /printed .* Only: Phone · New visitors · Email or Referral · France · found by “blog”/,
      'the print view lists the filters, because it has no form',
    )
    t.match((await pageOf(tab('subscriptions', '?device=tablet'))).text, 'No order matches')
  },
)

t.test(
  'a filter by country: a list of the visitors’ countries, on every tab with visitors’ figures',
  async t => {
    const { body, rows } = await pageOf(tab('devices', '?country=FR'))
    t.same(
      [
        ...body.matchAll(
          /<option value="(all|unknown|[A-Z]{2})"( selected)?>([^<]*[Cc]ountr[^<]*|France|Germany)</g,
        ),
      ].map(([, value, chosen]) => value + (chosen ?? '')),
      ['all', 'unknown', 'FR selected', 'DE'],
    )
    t.same(
      rows.map(row => row.split(' Control')[0]),
      ['Desktop', 'Phone'],
    )
    t.match(rows[0], /Variant 1 0 \$0\.00/)
    t.match(
      body,
      `href="/tests/${id}/subscriptions?country=FR"`,
      'links to other tabs keep the country',
    )
    t.match(body, `href="/tests/${id}/devices?country=FR&amp;sort=lift"`)
    t.match(
      (await pageOf(tab('channels', '?country=DE'))).rows.map(row => row.split(' Control')[0]),
      ['Organic search'],
    )
    t.same(
      (await pageOf(tab('visitors', '?country=unknown'))).rows.map(row => row.split(' Control')[0]),
      ['New visitors', 'Unknown', 'No referrer'],
    )
    const none = await pageOf(tab('channels', '?country=PT'))
    t.match(none.text, /No visitor matches .*Show all/)
    t.match(
      none.body,
      '<option value="PT" selected>Portugal</option>',
      'the list keeps the chosen country',
    )
    t.notMatch((await pageOf(tab('products'))).body, 'name="country"')
  },
)

t.test('sorting and searching have addresses too', async t => {
  const names = async (query: string) =>
    (await pageOf(tab('channels', query))).rows.map(row => row.split(' Control')[0])
  t.same(await names('?sort=value'), ['Direct', 'Email', 'Organic search', 'Referral'])
  t.same(await names('?sort=value&descending=true'), [
    'Referral',
    'Organic search',
    'Email',
    'Direct',
  ])
  t.same((await names('?sort=averageOrderValue')).slice(0, 2), ['Organic search', 'Direct'])
  t.match(
    (await pageOf(tab('channels', '?sort=value'))).body,
    `<a id="sort-value" href="/tests/${id}/channels?sort=value&amp;descending=true">`,
  )
  const { body, rows } = await pageOf(tab('visitors', '?search=Blog&device=phone'))
  t.same(
    rows.slice(2).map(row => row.split(' Control')[0]!.replaceAll(' .', '.')),
    ['Germany', 'France', 'blog.example'],
  )
  t.match(
    (await pageOf(tab('visitors', '?search=zzz'))).text,
    /Unknown Control .* No site matches Nothing was found/,
    'the list of countries stays',
  )
  t.match(body, 'value="Blog"')
  t.match(
    body,
    /id="search-sites" name="search" form="report-filters"/,
    'the search is in the form of the filters, so each keeps the other',
  )
  t.match(
    (await pageOf(tab('visitors', '?search=%3Cscript%3Ealert(1)'))).body,
    'Nothing was found for “&lt;script',
  )
})

t.test('unknown parameters mean the defaults', async t => {
  const usual = (await pageOf(tab('channels'))).rows
  for (const query of [
    '?device=toaster',
    '?visitors=both',
    '?channels=post,%00',
    '?sort=happiness',
    '?descending=maybe',
    '?page=-1',
    '?page=1e3',
    '?page=99999999',
    '?pageSize=0',
    '?pageSize=5000',
    '?pageSize=ten',
    '?device=',
    '?device=phone%27--',
    '?country=de',
    '?country=DEU',
    '?country=%00',
    '?country=',
  ])
    t.same((await pageOf(tab('channels', query))).rows, usual, query)
  t.match(
    (await pageOf(tab('channels', '?device=watch&channels=post'))).text,
    'The address names a device and a channel that does not exist, so we ignored those filters.',
  )
  t.notMatch(
    (await pageOf(tab('channels', '?device=phone&channels=email&country='))).text,
    'left out',
  )
  t.equal((await pageOf(tab('visitors', `?search=${'x'.repeat(5000)}`))).statusCode, 200)
})

t.test('paging: the next page, the page before, and a page that does not exist', async t => {
  const first = await pageOf(tab('visitors', '?pageSize=2'))
  t.match(first.text, /1–2 of 3 sites Page 1 of 2/)
  t.match(first.body, `href="/tests/${id}/visitors?pageSize=2&amp;page=1" aria-label="Next page"`)
  const second = await pageOf(tab('visitors', '?pageSize=2&page=1'))
  t.match(second.text, /3–3 of 3 sites Page 2 of 2/)
  t.same(
    second.rows.slice(2, 4),
    first.rows.slice(2, 4),
    'kinds of visitors and countries stay above the list',
  )
  const countries = await pageOf(
    tab('visitors', '?pageSize=2&page=1&countryPage=1&countrySort=value'),
  )
  t.same(
    countries.rows.slice(2).map(row => row.split(' Control')[0]!.replaceAll(' .', '.')),
    ['Unknown', 'google.com'],
    'each list has its own page and order',
  )
  t.match(
    countries.body,
    `href="/tests/${id}/visitors?pageSize=2&amp;page=1&amp;countrySort=value" aria-label="Previous page"`,
  )
  t.match(
    countries.body,
    `href="/tests/${id}/visitors?pageSize=2&amp;countrySort=value&amp;countryPage=1" aria-label="Previous page"`,
  )
  const beyond = await get(tab('visitors', '?pageSize=2&page=7&host=abc'))
  t.equal(beyond.statusCode, 303)
  t.equal(beyond.headers.location, `/tests/${id}/visitors?pageSize=2&host=abc`)
})

t.test('links and forms keep host, shop and code', async t => {
  const { body } = await pageOf(tab('devices', '?host=YWRtaW4&shop=fern-and-kiln.demo-shop.test'))
  t.match(body, `href="/tests/${id}/channels?host=YWRtaW4&amp;shop=fern-and-kiln.demo-shop.test"`)
  t.match(body, '<input type="hidden" name="host" value="YWRtaW4"/>')
})

t.test(
  'a tab that the plan lacks says what it is and which plan includes it, and requests no figures',
  async t => {
    await may('core-100k-monthly')
    for (const [name, words] of [
      ['visitors', 'Visitor reporting'],
      ['channels', 'Channels reporting'],
      ['subscriptions', 'Subscription reporting'],
    ] as const) {
      const { statusCode, text, rows, body } = await pageOf(tab(name))
      t.equal(statusCode, 200, name)
      t.match(text, new RegExp(`${words} .*comes? with the Advanced plan and above`))
      t.same(rows, [])
      t.match(body, new RegExp(`${name}" aria-current="page"`))
      t.notMatch(body, 'name="device"', 'there is no filter')
    }
    const devices = await pageOf(tab('devices', '?visitors=new&channels=email'))
    t.equal(devices.rows.length, 2, 'devices come with every plan')
    t.notMatch(devices.body, /name="visitors"|name="channels"/, 'closed filters are not offered')
    t.match(
      devices.text,
      /Visitor reporting comes with the Advanced plan and above\. The figures below cover all visitors\./,
    )
    t.match(
      devices.text,
      /Channels reporting comes with the Advanced plan and above\. The figures below cover all channels\./,
    )
    const country = await pageOf(tab('devices', '?country=FR'))
    t.same(country.rows, (await pageOf(tab('devices'))).rows)
    t.match(
      country.text,
      /Country segmentation comes with the Advanced plan and above\. The figures below cover all countries\./,
    )
    t.notMatch(country.body, 'name="country"')

    await may('core-100k-monthly', 'VisitorReporting')
    const visitors = await pageOf(tab('visitors'))
    t.equal(visitors.rows.length, 2, 'a feature flag opens the tab of visitors')
    t.match(
      visitors.text,
      /Country segmentation .* Channels reporting /,
      'countries and referring sites stay closed',
    )
    await may('advanced-100k-monthly')
  },
)
