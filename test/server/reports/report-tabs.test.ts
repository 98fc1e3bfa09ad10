import { randomUUID } from 'node:crypto'
import t from 'tap'
import { seedTest } from '../../engine/support/seeds.ts'
import { startReportTabs } from '../support/report-tabs-shop.ts'

const { get, db, now, storeId, id, tab, pageOf, may, meet } = await startReportTabs(t)
const everyTab = ['devices', 'products', 'visitors', 'channels', 'subscriptions']

t.test(
  'every tab has an address, a title and a place in the row; a test without visitors says so',
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
      t.notMatch(text, /Search/, 'there is no search')
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

t.test('tabs of a test with visitors', async t => {
  await meet()

  await t.test(
    'devices: both arms of each, exact to the unit and cent, compared when there is enough data',
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
        'the interval excludes 0, so the lift has a colour',
      )
      t.match(
        rows[1],
        /^Phone Control 1 1 \$25\.00 100\.00% \$25\.00 \$25\.00 0\.00% 100\.00% \d+\.\d\d% 99 more visitors per arm Variant 1 0 \$0\.00 0\.00% – \$0\.00/,
      )
      t.match(text, 'Lift and chance to win: conversion rate')
      t.match(
        text,
        'Parts are hints, not verdicts: with many of them, some look ahead by chance. A row is compared once it has 100 visitors per arm and 25 conversions, at least 5 per arm.',
      )
    },
  )

  await t.test('channels, and visitors with their referring sites', async t => {
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
    'subscriptions: five figures, orders by type without figures that a type lacks, and renewals separately',
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
        'the tab has no paging',
      )
      t.match(
        (await pageOf(tab('subscriptions', '?device=desktop'))).text,
        'No visitor of this test has renewed so far.',
      )
    },
  )

  await t.test('products: how many visitors saw, added and bought each, per arm', async t => {
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
})

t.test('the products tab of a price test lists its prices', async t => {
  await may('advanced-100k-monthly')
  t.notMatch(
    (await pageOf(tab('products'))).text,
    /Prices|Price testing/,
    'another kind of test has no prices',
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
    'without the feature flag only that part is closed',
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
  'files are passed on under the API’s names, as a spreadsheet or an archive; another store’s are 404',
  async t => {
    const { body, headers, statusCode } = await get(`/tests/${id}/export/orders`)
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition':
        /^attachment; filename="twinshelf-ships-today-orders-\d{4}-\d\d-\d\d\.csv"$/,
      'cache-control': 'private, no-store',
    })
    t.ok(body.startsWith('\uFEFFOrder,'), 'the file starts with the mark of UTF-8')
    t.match(body, /2 × Jug & “bowl”; 1 × Plate,/)
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

t.test('a tab of an unknown test is a page that says so', async t => {
  for (const name of everyTab)
    for (const testId of [randomUUID(), 'nonsense']) {
      const { statusCode, body } = await get(`/tests/${testId}/${name}`)
      t.equal(statusCode, 404, `${testId} ${name}`)
      t.match(body, '<html')
    }
  t.equal((await get(tab('happiness'))).statusCode, 404)
})

t.test('the report of a test that the plan no longer opens says what happens to it', async t => {
  const { plan_id } = await db.kysely
    .selectFrom('stores')
    .select('plan_id')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const onPlan = async (wanted: string | null) => {
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: wanted })
      .where('store_id', '=', storeId)
      .execute()
    now.at = new Date(now.at.getTime() + 11_000)
  }
  const [runs, paused] = [
    await seedTest(db, storeId, { kind: 'Api' }),
    await seedTest(db, storeId, { kind: 'Api', status: 'Paused' }),
  ]
  const words = /resume it\. API testing|cannot be resumed/
  for (const test of [runs, paused]) t.notMatch((await pageOf(`/tests/${test}`)).text, words)
  await onPlan('core-50k-monthly')
  t.teardown(() => onPlan(plan_id))
  for (const path of [`/tests/${runs}`, `/tests/${runs}/devices`])
    t.match(
      (await pageOf(path)).text,
      'If you pause this test, you cannot resume it. API testing comes with the Advanced plan and above. The test runs until its planned end, or until you end it.',
    )
  t.match(
    (await pageOf(`/tests/${paused}`)).text,
    'This test cannot be resumed. API testing comes with the Advanced plan and above. Until then everyone sees the control.',
  )
})
