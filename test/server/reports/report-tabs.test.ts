import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { StoreFeature } from '../../../domain/stores/store.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  order,
  phone,
  visitorIn,
} from '../../engine/support/traffic.ts'
import { startMerchant, textOf } from '../support/merchant.ts'
import { launchTest, visit } from '../support/shoppers.ts'

const merchant = await startMerchant({ engine: { COUNTRY_HEADER: 'cf-ipcountry' } })
const {
  engine: { engine, shop, db, now },
  call,
  get,
  close,
} = merchant
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const hour = 3_600_000
const pass = (time: number) => {
  now.at = new Date(now.at.getTime() + time)
}
const pageOf = async (path: string) => {
  const { statusCode, body, headers } = await get(path)
  return {
    statusCode,
    body,
    headers,
    text: textOf(body),
    rows: [...body.matchAll(/<tbody>[\s\S]*?<\/tbody>/g)].map(m => textOf(m[0]).trim()),
  }
}

/** What the store may do, from the next page on. */
async function may(plan: string, ...flags: StoreFeature[]): Promise<void> {
  await db.kysely
    .updateTable('stores')
    .set({ plan_id: plan, feature_flags: JSON.stringify(flags) })
    .where('store_id', '=', storeId)
    .execute()
  pass(11_000)
}

type Person = {
  arm: 0 | 1
  agent?: string
  country?: string
  acts?: [kind: 'view' | 'cart', product: string][]
  lines?: object[]
  referrer?: string
  landing?: string
  isNew?: boolean
  buys?: ['one_time' | 'subscription' | 'renewal', price: string]
}
/** Sends one shopper in, who may buy something. */
async function send(
  testId: string,
  name: string,
  {
    arm,
    agent = browser,
    country,
    acts = [],
    lines = [],
    referrer = '',
    landing = '/products/mug',
    isNew = true,
    buys,
  }: Person,
): Promise<void> {
  const at = now.at.getTime(),
    person = visitorIn(testId, arm, name)
  await collect(
    engine.app,
    beacon(
      person,
      { [testId]: [arm, 7] },
      [
        event('exposure', at, [testId]),
        event('view', at),
        ...acts.map(([kind, product], i) => ({ ...event(kind, at + i), product })),
      ],
      { sent: at + 9, isNew, referrer, landing },
    ),
    { origin: shop.origin, 'user-agent': agent, ...(country && { 'cf-ipcountry': country }) },
  )
  if (buys)
    await deliver(
      engine.app,
      JSON.stringify({
        ...order(`order-${person}`, person, at + 10, buys[1]),
        order_type: buys[0],
        line_items: lines,
      }),
    )
}

const line = (product_id: string, title: string, quantity: number, price: string) => ({
  product_id,
  variant_id: 1,
  title,
  quantity,
  price,
  selling_plan: null,
})

const id = await launchTest(merchant, 'Ships today')
const tab = (name: string, query = '') => `/tests/${id}/${name}${query}`
const everyTab = ['devices', 'products', 'visitors', 'channels', 'subscriptions']

t.test(
  'every tab has its address, its title and its place among the others; one that nobody has met says so',
  async t => {
    for (const name of everyTab) {
      const { statusCode, body, text } = await pageOf(tab(name))
      t.equal(statusCode, 200, name)
      const label = name.charAt(0).toUpperCase() + name.slice(1)
      t.match(body, `<title>Ships today: ${label} | Twinshelf</title>`)
      t.match(body, new RegExp(`href="/tests/${id}/${name}" aria-current="page">${label}</a>`))
      t.match(text, /Overview Devices Products Visitors Channels Subscriptions/)
      t.match(
        text,
        { subscriptions: 'No orders yet', products: 'No products yet' }[name] ?? 'No visitors yet',
        name,
      )
      t.notMatch(text, /Search/, 'nothing to search in')
      t.same(
        body.match(/data-island="[^"]+"/g),
        ['data-island="downloads"'],
        'no figure here needs a script',
      )
      t.notMatch(text, /NaN|undefined|null|Infinity/)
    }
    t.match(
      (await pageOf(`/tests/${id}`)).body,
      new RegExp(`href="/tests/${id}" aria-current="page">Overview</a>`),
    )
  },
)

t.test('with visitors', async t => {
  pass(hour)
  await visit(merchant, id, [
    { arm: 0, visitors: 120, clickers: 60, adders: 30, buyers: 20, price: '10.00' },
    { arm: 1, visitors: 110, clickers: 66, adders: 44, buyers: 30, price: '12.00' },
  ])
  await send(id, 'anna', {
    arm: 0,
    agent: phone,
    country: 'de',
    referrer: 'https://www.google.com/',
    buys: ['subscription', '25.00'],
    acts: [
      ['view', '11'],
      ['cart', '11'],
    ],
    lines: [line('11', 'Jug & “bowl”', 2, '10.00'), line('12', 'Plate', 1, '5.00')],
  })
  await send(id, 'bea', {
    arm: 1,
    agent: phone,
    referrer: 'https://blog.example/mugs',
    isNew: false,
    country: 'FR',
    buys: ['renewal', '25.00'],
    acts: [
      ['view', '11'],
      ['view', '12'],
    ],
  })
  await send(id, 'cid', {
    arm: 1,
    landing: '/products/mug?utm_source=newsletter&utm_medium=email',
    isNew: false,
    country: 'FR',
  })
  await engine.rollUp()

  await t.test(
    'devices: both arms of each, to the unit and the cent, compared where there is enough',
    async t => {
      const { rows, text, body } = await pageOf(tab('devices'))
      t.equal(rows.length, 2)
      t.match(
        rows[0],
        /^Desktop Control 120 20 \$200\.00 16\.67% \$10\.00 \$1\.67 50\.00% 25\.00% \d+\.\d\d% \+62\.2% 97\.\d% Variant 111 30 \$360\.00 27\.03% \$12\.00 \$3\.24 59\.46% 39\.64%/,
      )
      t.match(
        body,
        /<span class="lift" data-tone="good">\+62\.2%/,
        'clear of 0, so it has a colour',
      )
      t.match(
        rows[1],
        /^Phone Control 1 1 \$25\.00 100\.00% \$25\.00 \$25\.00 0\.00% 100\.00% \d+\.\d\d% 99 more visitors per arm Variant 1 0 \$0\.00 0\.00% – \$0\.00/,
      )
      t.match(text, 'Lift and chance to win: conversion rate')
      t.match(
        text,
        'Parts are hints, not verdicts: with many of them, some look ahead by chance. A row is compared from 100 visitors per arm and 25 conversions on, at least 5 per arm.',
      )
    },
  )

  await t.test('channels, and visitors with where they came from', async t => {
    const channels = await pageOf(tab('channels'))
    t.same(
      channels.rows.map(row => row.split(' Control')[0]),
      ['Direct', 'Email', 'Organic search', 'Referral'],
    )
    const { rows, body, text } = await pageOf(tab('visitors'))
    t.same(
      rows.map(row => row.split(' Control')[0]!.replaceAll(' .', '.')),
      [
        'New visitors',
        'Returning visitors',
        'Unknown',
        'France',
        'Germany',
        'No referrer',
        'blog.example',
        'google.com',
      ],
    )
    t.match(rows[0], /^New visitors Control 121 /)
    t.match(text, 'Search sites')
    t.match(body, /aria-sort="descending"><a id="sort-visitors"/)
    t.match(body, /aria-sort="descending"><a id="country-sort-visitors"/)
    t.match(
      text,
      'Unknown: the network in front of Twinshelf did not say the country of these visitors.',
    )
  })

  await t.test(
    'subscriptions: the five figures, orders by type without what a type has none of, and renewals apart',
    async t => {
      const { rows, text } = await pageOf(tab('subscriptions'))
      const [figures, oneTime, subscription, renewals] = rows
      t.equal(rows.length, 4)
      t.match(
        figures,
        'Subscription conversion rate 0.83% 1 first order of 121 visitors 0.00% 0 first orders of 112 visitors 24 more orders',
      )
      t.match(
        figures,
        'Subscription revenue per visitor $0.21 $25.00 of 121 visitors $0.00 $0.00 of 112 visitors 24 more orders',
      )
      t.match(
        figures,
        'Orders with a subscription 4.76% 1 of 21 orders 0.00% 0 of 30 orders 24 more orders',
      )
      t.match(
        figures,
        'Subscription order value $25.00 $25.00 in 1 first order – $0.00 in 0 first orders 24 more orders',
      )
      t.match(
        figures,
        'Units per subscription order 3.00 3 in 1 first order – 0 in 0 first orders 24 more orders',
      )
      t.match(oneTime, /^One-time Control 20 20 0 \$200\.00 16\.53%/)
      t.match(subscription, /^First subscription Control 1 1 3 \$25\.00/)
      t.match(renewals, /^Control 0 0 \$0\.00 – Variant 1 0 \$25\.00 \$25\.00/)
      t.match(text, 'CVR and RPV count all 121 visitors of control and 112 of the variant.')
      t.match(text, 'Renewals happen on their own, so they are not conversions')
      t.notMatch(text, /Bounce|Clickthrough/)
      t.same(
        (await pageOf(tab('subscriptions', '?pageSize=1&page=2'))).rows,
        rows,
        'it has no pages',
      )
      t.match(
        (await pageOf(tab('subscriptions', '?device=desktop'))).text,
        'No visitor of this test has renewed so far.',
      )
    },
  )

  await t.test(
    'filters narrow the figures and stay in the address, and go along to the other tabs',
    async t => {
      const { rows, body } = await pageOf(tab('channels', '?device=phone'))
      t.same(
        rows.map(row => row.split(' Control')[0]),
        ['Organic search', 'Referral'],
      )
      t.match(body, '<option value="phone" selected>Phone</option>')
      t.match(body, `href="/tests/${id}/devices?device=phone"`, 'along to devices')
      t.match(
        body,
        `href="/tests/${id}/products?device=phone"`,
        'and over the products, which have no such thing, to the next',
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
        'and back to the overview',
      )
      t.match(
        over.body,
        '<input type="hidden" name="device" value="phone"/>',
        'through its search too',
      )
      t.match(body, 'hx-sync:inherited="#panel:replace"', 'the last click counts, of links')
      t.match(body, /<form id="report-filters"[^>]* hx-sync="#panel:replace"/, 'and of filters')
      t.match((await pageOf(tab('products'))).text, 'Whole test, without filters')
      t.match(body, `href="/tests/${id}/channels?device=phone&amp;sort=lift"`, 'kept by sorting')
      t.match(body, new RegExp(`href="/tests/${id}/channels">Clear filters</a>`))
      const both = (await pageOf(tab('channels', '?channels=email&channels=referral'))).rows
      t.same(
        both,
        (await pageOf(tab('channels', '?channels=email,referral'))).rows,
        'as a form sends them, and as a link does',
      )
      t.same(
        both.map(row => row.split(' Control')[0]),
        ['Referral', 'Email'].sort(),
      )
      t.same(
        (await pageOf(tab('devices', '?visitors=returning'))).rows.map(row => row.slice(0, 20)),
        ['Desktop Control 0 0 ', 'Phone Control 0 0 $0'],
      )
      t.match(
        (await pageOf(tab('devices', '?device=tablet'))).text,
        /No visitor matches .*Show all/,
      )
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
        'told on paper, where the form is not',
      )
      t.match((await pageOf(tab('subscriptions', '?device=tablet'))).text, 'No order matches')
    },
  )

  await t.test(
    'by country: a choice of those that were met, laid on every tab of visitors’ figures',
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
      t.match(body, `href="/tests/${id}/subscriptions?country=FR"`, 'along to the others')
      t.match(body, `href="/tests/${id}/devices?country=FR&amp;sort=lift"`)
      t.match(
        (await pageOf(tab('channels', '?country=DE'))).rows.map(row => row.split(' Control')[0]),
        ['Organic search'],
      )
      t.same(
        (await pageOf(tab('visitors', '?country=unknown'))).rows.map(
          row => row.split(' Control')[0],
        ),
        ['New visitors', 'Unknown', 'No referrer'],
      )
      const none = await pageOf(tab('channels', '?country=PT'))
      t.match(none.text, /No visitor matches .*Show all/)
      t.match(
        none.body,
        '<option value="PT" selected>Portugal</option>',
        'what is asked for stays in the choice',
      )
      t.notMatch((await pageOf(tab('products'))).body, 'name="country"')
    },
  )

  await t.test('products: who saw, added and bought each, per arm', async t => {
    const { rows, text, body } = await pageOf(tab('products'))
    t.equal(rows.length, 2)
    t.match(
      rows[0],
      /^Jug & “bowl” Control 1 0\.8% 1 0\.8% 1 0\.8% 2 \$20\.00 \$0\.17 24 more buyers Variant 1 0\.9% 0 0\.0% 0 0\.0% 0 \$0\.00 \$0\.00$/,
    )
    t.match(rows[1], /^Plate Control 0 0\.0% 0 0\.0% 1 0\.8% 1 \$5\.00/)
    t.match(text, '2 products')
    const names = async (query: string) =>
      (await pageOf(tab('products', query))).rows.map(row => row.split(' Control')[0])
    t.same(await names('?sort=title'), ['Jug & “bowl”', 'Plate'])
    t.same(await names('?sort=title&descending=true'), ['Plate', 'Jug & “bowl”'])
    t.same(await names('?sort=viewers&descending=false'), ['Plate', 'Jug & “bowl”'])
    t.same(await names('?search=PLA'), ['Plate'])
    t.same(await names('?pageSize=1&page=1'), ['Plate'])
    for (const query of [
      '?sort=visitors',
      '?page=-1',
      '?descending=2',
      '?pageSize=0',
      '?country=FR',
      '?pricePage=3',
    ])
      t.same(await names(query), ['Jug & “bowl”', 'Plate'], query)
    t.match(
      (await pageOf(tab('products', '?search=%3Cb%3E'))).text,
      'No product matches Nothing was found for “<b>”.',
    )
    t.match(body, `href="/tests/${id}/products?sort=units"`)
    t.equal(
      (await get(tab('products', '?pageSize=1&page=9&sort=title'))).headers.location,
      `/tests/${id}/products?pageSize=1&sort=title`,
    )
  })

  await t.test('sorting and searching are addresses too', async t => {
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
      'the countries stay',
    )
    t.match(body, 'value="Blog"')
    t.match(
      body,
      /id="search-sites" name="search" form="report-filters"/,
      'a field of the filters: neither loses the other',
    )
    t.match(
      (await pageOf(tab('visitors', '?search=%3Cscript%3Ealert(1)'))).body,
      'Nothing was found for “&lt;script',
    )
  })

  await t.test('nonsense is taken as the usual', async t => {
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

  await t.test('pages: the next, the one before, and one that is not there', async t => {
    const first = await pageOf(tab('visitors', '?pageSize=2'))
    t.match(first.text, /1–2 of 3 sites Page 1 of 2/)
    t.match(first.body, `href="/tests/${id}/visitors?pageSize=2&amp;page=1" aria-label="Next page"`)
    const second = await pageOf(tab('visitors', '?pageSize=2&page=1'))
    t.match(second.text, /3–3 of 3 sites Page 2 of 2/)
    t.same(
      second.rows.slice(2, 4),
      first.rows.slice(2, 4),
      'kinds of visitors and countries stay above it',
    )
    const countries = await pageOf(
      tab('visitors', '?pageSize=2&page=1&countryPage=1&countrySort=value'),
    )
    t.same(
      countries.rows.slice(2).map(row => row.split(' Control')[0]!.replaceAll(' .', '.')),
      ['Unknown', 'google.com'],
      'each list turns its own pages and has its own order',
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

  await t.test('host, shop and code go along in links and forms', async t => {
    const { body } = await pageOf(tab('devices', '?host=YWRtaW4&shop=fern-and-kiln.demo-shop.test'))
    t.match(body, `href="/tests/${id}/channels?host=YWRtaW4&amp;shop=fern-and-kiln.demo-shop.test"`)
    t.match(body, '<input type="hidden" name="host" value="YWRtaW4"/>')
  })
})

t.test(
  'a tab that the plan does not open says what it is and what opens it, and asks for no figure',
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
      t.notMatch(body, 'name="device"', 'nothing to filter')
    }
    const devices = await pageOf(tab('devices', '?visitors=new&channels=email'))
    t.equal(devices.rows.length, 2, 'devices come with every plan')
    t.notMatch(
      devices.body,
      /name="visitors"|name="channels"/,
      'filters that are closed are not offered',
    )
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
    t.equal(visitors.rows.length, 2, 'a flag opens visitors')
    t.match(
      visitors.text,
      /Country segmentation .* Channels reporting /,
      'and neither countries nor the sites they came from',
    )
    await may('advanced-100k-monthly')
  },
)

t.test('prices of a price test', async t => {
  t.notMatch(
    (await pageOf(tab('products'))).text,
    /Prices|Price testing/,
    'another kind of test has none',
  )
  const testId = await seedTest(db, storeId, {
    kind: 'Price',
    title: 'Dearer mugs',
    pages: '[]',
    start_at: now.at,
  })
  const at = now.at
  const variant = (title: string, controlPrice: number, variantPrice: number) => ({
    id: title,
    title,
    price: controlPrice,
    compareAtPrice: null,
    controlPrice,
    variantPrice,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
  })
  const add = (
    title: string,
    variants: ReturnType<typeof variant>[],
    errors: { cause: 'productGone'; variantId: null; message: string }[] = [],
  ) =>
    db.kysely
      .insertInto('test_products')
      .values({
        store_id: storeId,
        test_product_id: randomUUID(),
        draft_id: testId,
        test_id: testId,
        product_id: title,
        title,
        handle: 'mug',
        path: '/products/mug',
        image: null,
        currency: 'USD',
        rule: null,
        variants: JSON.stringify(variants),
        errors: JSON.stringify(errors),
        created_at: at,
        updated_at: at,
      })
      .execute()
  await add('Mug', [
    variant('Small', 2000, 2200),
    variant('Medium', 2000, 2200),
    variant('Large', 3000, 2700),
  ])
  await add(
    'Bowl',
    [variant('Blue', 4000, 4400), variant('Green', 4000, 4400)],
    [{ cause: 'productGone', variantId: null, message: 'The product is gone from the shop.' }],
  )
  for (let i = 0; i < 9; i++) await add(`Plate ${i}`, [variant('Plain', 1000, 1100)])

  t.match(
    (await pageOf(`/tests/${testId}/products`)).text,
    /No products yet .*Price testing/,
    'without its flag that part alone is closed',
  )
  await may('advanced-100k-monthly', 'PriceTesting')
  const page = await pageOf(`/tests/${testId}/products`)
  t.equal(page.rows.length, 10)
  t.match(page.rows[0], 'Mug Small, Medium $20.00 $22.00 +10.0% Large $30.00 $27.00 −10.0%')
  t.match(
    page.rows[1],
    /^Bowl The product is gone from the shop\. All 2 \$40\.00 \$44\.00 \+10\.0%/,
  )
  t.match(page.text, /1–10 of 11 products in this test Page 1 of 2/)
  t.same((await pageOf(`/tests/${testId}/products?pricePage=1`)).rows, [
    'Plate 8 Plain $10.00 $11.00 +10.0%',
  ])
  t.equal(
    (await get(`/tests/${testId}/products?pricePage=5`)).headers.location,
    `/tests/${testId}/products`,
  )
})

t.test(
  'files: passed on under the API’s names, each a spreadsheet’s or an archive; another’s are not there',
  async t => {
    const { body, headers, statusCode } = await get(`/tests/${id}/export/orders`)
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition':
        /^attachment; filename="twinshelf-ships-today-orders-\d{4}-\d\d-\d\d\.csv"$/,
      'cache-control': 'private, no-store',
    })
    t.ok(body.startsWith('\uFEFFOrder,'), 'UTF-8 by its mark')
    t.match(body, /2 × Jug & “bowl”; 1 × Plate\r\n/)
    t.match((await get(`/tests/${id}/export/results`)).headers['content-disposition'], /-results-/)
    const zip = await get(`/tests/${id}/export/all`)
    t.match(zip.headers, {
      'content-type': 'application/zip',
      'content-disposition': /-export-.*\.zip"$/,
    })
    t.equal(zip.rawPayload.subarray(0, 2).toString(), 'PK')
    const { body: page } = await pageOf(`/tests/${id}`)
    for (const what of ['results', 'orders', 'all'])
      t.match(page, `<a href="/tests/${id}/export/${what}" download data-download="${what}">`)
    for (const other of [randomUUID(), 'nonsense']) {
      const missing = await get(`/tests/${other}/export/orders`)
      t.equal(missing.statusCode, 404)
      t.match(missing.headers['content-type'], 'text/html')
    }
    t.equal((await get(`/tests/${id}/export/happiness`)).statusCode, 404)
  },
)

t.test('a tab of a test that is not there is a page that says so', async t => {
  for (const name of everyTab)
    for (const testId of [randomUUID(), 'nonsense']) {
      const { statusCode, body } = await get(`/tests/${testId}/${name}`)
      t.equal(statusCode, 404, `${testId} ${name}`)
      t.match(body, '<html')
    }
  t.equal((await get(tab('happiness'))).statusCode, 404)
})
