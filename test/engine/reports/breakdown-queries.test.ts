import t from 'tap'
import { sql } from 'kysely'
import { refusal } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { type BreakdownQuery, startBreakdownShop } from '../support/shops/breakdown-shop.ts'
import { secondShop } from '../support/small-shop.ts'

const { db, call, storeId, token, testId, by, short } = await startBreakdownShop(t)

t.test('filters combine', async t => {
  t.same(short(await by('byChannel', { device: 'phone' })), {
    organicSearch: [
      [1, 1, 1, 2, 4000],
      [1, 1, 1, 1, 2500],
    ],
  })
  t.same(
    short(
      await by('byChannel', {
        device: 'desktop',
        visitors: 'returning',
        channels: 'email,organicSearch',
      }),
    ),
    {
      email: [
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    },
  )
  t.same(short(await by('byDevice', { channels: 'referral', visitors: 'new' })), {
    desktop: [
      [0, 0, 0, 0, 0],
      [1, 2, 1, 1, 4000],
    ],
  })
  t.same(
    short(await by('byOrderType', { channels: 'organicSearch', device: 'phone' }))['subscription'],
    [
      [1, 1, 1, 1, 1000],
      [1, 1, 1, 1, 2500],
    ],
  )
  t.same(short(await by('referrers', { channels: 'direct' })), {
    '(direct)': [
      [0, 0, 0, 0, 0],
      [1, 1, 0, 0, 0],
    ],
  })
  t.same((await by('byVisitors', { channels: 'display' }))!.rows, [])
})

t.test('lists are paged and sorted as asked, and invalid queries are refused', async t => {
  const page = async (query: BreakdownQuery) =>
    (await by('byChannel', query))!.rows.map(row => row.value)
  t.same(await page({ sort: 'value', pageSize: 2 }), ['direct', 'email'])
  t.same(await page({ sort: 'value', pageSize: 2, page: 1 }), ['organicSearch', 'referral'])
  t.same(await page({ sort: 'revenue', descending: false, pageSize: 1 }), ['direct'])
  t.equal((await by('byChannel', { page: 7 }))!.count, 4)
  const nonsense: Record<string, unknown[]> = {
    device: ['watch', 0, 'Phone'],
    channels: ['organicSearch,', 'carrierPigeon', 'all,email', ''],
    visitors: ['some'],
    country: ['germany', 'de', 'D', 'DE,FR', '**', ''],
    page: [-1, 1.5, 'x'],
    pageSize: [0, 101, 'all'],
    sort: ['mood', 'visitors desc'],
    descending: ['maybe', 2],
    mood: ['good'],
  }
  const named = async (work: Promise<unknown>) => {
    const { status, problem } = await refusal(work)
    return [status, ...(problem.fields?.map(({ field }) => field) ?? [])]
  }
  for (const name of [
    'byChannel',
    'byOrderType',
    'byDevice',
    'byVisitors',
    'byCountry',
    'referrers',
  ] as const)
    for (const [field, values] of Object.entries(nonsense))
      for (const value of values)
        t.same(
          await named(by(name, { [field]: value } as object)),
          [400, field],
          `${name} ${field}=${value}`,
        )
  t.same(await named(by('byChannel', { search: 'x' })), [400, 'search'], 'channels have no search')
  t.same(await named(by('referrers', { search: 'x'.repeat(201) })), [400, 'search'])
  for (const [name, fields] of [
    [
      'byProduct',
      {
        sort: 'mood',
        page: -1,
        pageSize: 0,
        descending: 'maybe',
        search: 'x'.repeat(201),
        device: 'phone',
      },
    ],
    [
      'testOrders',
      { part: 'neither', page: -1, pageSize: 101, search: 'x'.repeat(101), sort: 'amount' },
    ],
  ] as const)
    for (const [field, value] of Object.entries(fields))
      t.same(
        await named(
          call(name, { params: { id: testId }, query: { [field]: value } as object }, token),
        ),
        [400, field],
        `${name} ${field}`,
      )
  for (const name of ['byProduct', 'testOrders', 'exportTest'] as const)
    t.same(
      await named(call(name as 'byProduct', { params: { id: 'nonsense' }, query: {} }, token)),
      [404],
      name,
    )
  for (const metric of ['happiness', '__proto__', 'conversionrate'])
    t.same(await named(call('dailyBy', { params: { id: testId, metric } }, token)), [404], metric)
})

t.test('a test of another store, or one that does not exist, is a 404', async t => {
  const other = await seedTest(
    db,
    await seedStore(db, { shop: secondShop, domain: secondShop, origin: 'http://localhost:3003' }),
  )
  for (const name of [
    'byChannel',
    'byOrderType',
    'byDevice',
    'byVisitors',
    'byCountry',
    'referrers',
  ] as const)
    for (const id of [other, '99999999-9999-4999-8999-999999999999', 'nonsense'])
      await t.rejects(by(name, {}, id), /^404 /, name)
  const empty = await seedTest(db, storeId)
  t.same(await by('byOrderType', {}, empty), { goal: 'ConversionRate', rows: [], count: 0 })
})

t.test(
  'a breakdown or filter that the plan does not include is refused with a message; devices are in every plan',
  async t => {
    const onPlan = (plan_id: string) =>
      db.kysely.updateTable('stores').set({ plan_id }).where('store_id', '=', storeId).execute()
    const { plan_id } = await db.kysely
      .selectFrom('stores')
      .select('plan_id')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    await onPlan('core-50k-monthly')
    for (const [name, words] of [
      ['byChannel', 'Channels reporting'],
      ['referrers', 'Channels reporting'],
      ['byOrderType', 'Subscription reporting'],
      ['byVisitors', 'Visitor reporting'],
      ['byCountry', 'Country segmentation'],
    ] as const)
      await t.rejects(by(name), new RegExp(`^403 ${words} comes with the Advanced plan`), name)
    await t.rejects(by('byDevice', { channels: 'email' }), /^403 Channels/)
    await t.rejects(by('byDevice', { visitors: 'new' }), /^403 Visitor/)
    await t.rejects(by('byDevice', { country: 'unknown' }), /^403 Country/)
    t.equal((await by('byDevice', { channels: 'all', visitors: 'all', country: 'all' }))!.count, 2)
    const visitors = async () =>
      (
        await call('testOrders', { params: { id: testId }, query: { search: '1' } }, token)
      ).rows.map(({ visitor }) => visitor)
    t.match(
      await visitors(),
      [{ device: 'phone', arm: 0, channel: null, isNew: null, country: null }],
      'single orders do not show it either',
    )
    const types = async () =>
      (
        await call('testOrders', { params: { id: testId }, query: { search: '1' } }, token)
      ).rows.map(({ type }) => type)
    t.same(await types(), [null], 'nor the type of an order')
    await onPlan(plan_id!)
    t.same(await types(), ['oneTime'])
    t.match(await visitors(), [
      { device: 'phone', arm: 0, channel: 'organicSearch', isNew: true, country: 'DE' },
    ])
  },
)

t.test('from 501 referrers on, the busiest have a row each and the others share one', async t => {
  await sql`insert into test_cube select store_id, test_id, 'host-' || lpad(n::text, 4, '0') || '.example', arm, device, channel, is_new, 1, 0, 0, 0, 1
    from test_cube, generate_series(1, 6000) n where test_id = ${testId} and referrer = 'blog.example' and country = '*' and arm = 1`.execute(
    db.kysely,
  )
  const { rows, count } = (await by('referrers', { sort: 'visitors', pageSize: 100 }))!
  t.equal(count, 501)
  t.match(
    rows[0],
    { value: '(other)', arms: [{ visitors: 0 }, { visitors: 5_504 }] },
    'the rest of 6,004 hosts; equally busy ones are ordered by name',
  )
  t.same(
    (await by('referrers', { search: 'blog' }))!.rows.map(row => row.value),
    ['blog.example'],
  )
  await sql`insert into test_cube select store_id, test_id, 'constructor', arm, device, channel, is_new, 200, 0, 0, 0, 1
    from test_cube where test_id = ${testId} and referrer = 'blog.example' and country = '*' and arm = 1`.execute(
    db.kysely,
  )
  const [named] = (await by('referrers', { search: 'constructor' }))!.rows
  t.match(
    named,
    { value: 'constructor', label: 'constructor' },
    'a host name is not taken for a word of our code',
  )
})
