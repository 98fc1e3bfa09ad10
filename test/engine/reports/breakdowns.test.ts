import t from 'tap'
import { sql } from 'kysely'
import type { Input } from '../../../domain/api/contract.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, secondShop, sessionSecret } from '../support/small-shop.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  noon,
  order,
  phone,
  visitorIn,
} from '../support/traffic.ts'

const minute = 60_000,
  hour = 60 * minute
const engine = await startEngine({}, { COUNTRY_HEADER: 'cf-ipcountry' })
t.teardown(engine.close)
const { db, call, now, shop } = engine
const { id: storeId } = await call('storeInfo', {})
now.at = new Date(noon)
const { token } = await authTokens([sessionSecret], () => now.at).access(
  { storeId, shop: firstShop },
  now.at,
)
const testId = await seedTest(db, storeId)
type Query = Input<'referrers'>['query']
const by = (
  name: 'byChannel' | 'byOrderType' | 'byDevice' | 'byVisitors' | 'byCountry' | 'referrers',
  query: Query = {},
  id = testId,
) => call(name, { params: { id }, query }, token)

type Visit = {
  arm: 0 | 1
  landing?: string
  referrer?: string
  isNew?: boolean
  agent?: string
  session?: string
  pages?: number
  click?: boolean
  cart?: boolean
  ago?: number
  country?: string
}
const ids: Record<string, string> = {}
async function visit(
  name: string,
  {
    arm,
    landing = '/',
    referrer = '',
    isNew = true,
    agent = browser,
    session = 'first-session',
    pages = 1,
    click = false,
    cart = false,
    ago = hour,
    country,
  }: Visit,
): Promise<void> {
  ids[name] ??= visitorIn(testId, arm, name)
  const at = noon - ago
  const events = [
    event('exposure', at, [testId]),
    ...Array.from({ length: pages }, (_, i) => event('view', at + i * 1000)),
    ...(click ? [event('click', at + 500, [testId])] : []),
    ...(cart ? [event('cart', at + 600)] : []),
  ]
  const { statusCode } = await collect(
    engine.engine.app,
    beacon(ids[name], { [testId]: [arm, 7] }, events, { session, isNew, landing, referrer }),
    { origin: shop.origin, 'user-agent': agent, ...(country && { 'cf-ipcountry': country }) },
  )
  if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}.`)
}
const buy = async (
  id: string,
  name: string,
  price: string,
  type: 'one_time' | 'subscription' | 'renewal' = 'one_time',
  pieces = 1,
) => {
  const { statusCode } = await deliver(
    engine.engine.app,
    JSON.stringify({
      ...order(id, ids[name]!, noon - minute, price),
      order_type: type,
      line_items: [
        { product_id: 7, variant_id: 71, title: 'Mug', quantity: pieces, price, amount: price },
      ],
    }),
  )
  if (statusCode !== 200) throw new Error(`The webhook answered ${statusCode}.`)
}

await visit('anna', {
  arm: 0,
  country: 'DE',
  agent: phone,
  referrer: 'https://www.google.com/',
  pages: 3,
  click: true,
  cart: true,
})
await visit('bea', { arm: 0, country: 'FR', referrer: 'https://blog.example/mugs', isNew: false })
await visit('cid', {
  arm: 0,
  landing: '/?utm_source=newsletter&utm_medium=email',
  isNew: false,
  pages: 2,
})
await visit('dora', {
  arm: 1,
  country: 'DE',
  agent: phone,
  referrer: 'https://www.google.de/search',
  cart: true,
})
// Eve comes back an hour later by another way: that is a session more, and she stays who she was.
await visit('eve', { arm: 1, referrer: 'https://blog.example/', ago: 3 * hour })
await visit('eve', {
  arm: 1,
  referrer: 'https://www.bing.com/',
  session: 'second-session',
  isNew: false,
  pages: 4,
})
await visit('fred', { arm: 1, referrer: `${shop.origin}/cart`, click: true })
await buy('1', 'anna', '30.00', 'one_time', 3)
await buy('2', 'anna', '10.00', 'subscription')
await buy('3', 'dora', '25.00', 'subscription')
await buy('4', 'dora', '25.00', 'renewal')
await buy('5', 'eve', '40.00')
await engine.engine.rollUp()

const short = (rows: Awaited<ReturnType<typeof by>>) =>
  Object.fromEntries(
    rows!.rows.map(({ value, arms }) => [
      value,
      arms.map(a => [a.visitors, a.sessions, a.conversions, a.orders, a.revenue]),
    ]),
  )

t.test('by channel: each visitor where they first came from', async t => {
  const found = await by('byChannel')
  t.same(short(found), {
    organicSearch: [
      [1, 1, 1, 2, 4000],
      [1, 1, 1, 1, 2500],
    ],
    referral: [
      [1, 1, 0, 0, 0],
      [1, 2, 1, 1, 4000],
    ],
    email: [
      [1, 1, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],
    direct: [
      [0, 0, 0, 0, 0],
      [1, 1, 0, 0, 0],
    ],
  })
  t.equal(found!.count, 4)
  t.equal(found!.goal, 'ConversionRate')
  const search = found!.rows.find(row => row.value === 'organicSearch')!
  t.equal(search.label, 'Organic search')
  t.same(
    search.arms.map(a => [
      a.clicks,
      a.addToCarts,
      a.conversionRate,
      a.averageOrderValue,
      a.revenuePerSession,
      a.clickThroughRate,
      a.addToCartRate,
      a.bounceRate,
    ]),
    [
      [1, 1, 1, 2000, 4000, 1, 1, 0],
      [0, 1, 1, 2500, 2500, 0, 1, 1],
    ],
    'Anna saw three pages, Dora one',
  )
  t.same([search.lift, search.chanceToWin], [null, null])
})

t.test('by device and by new and returning', async t => {
  t.same(short(await by('byDevice')), {
    phone: [
      [1, 1, 1, 2, 4000],
      [1, 1, 1, 1, 2500],
    ],
    desktop: [
      [2, 2, 0, 0, 0],
      [2, 3, 1, 1, 4000],
    ],
  })
  t.same(short(await by('byVisitors')), {
    new: [
      [1, 1, 1, 2, 4000],
      [3, 4, 2, 2, 6500],
    ],
    returning: [
      [2, 2, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],
  })
})

t.test(
  'by country, as the edge tells it; as a filter too; who is nowhere known is a row and a filter of their own',
  async t => {
    const { rows, count } = (await by('byCountry'))!
    t.equal(count, 3)
    t.same(
      rows.map(({ value, label }) => [value, label]),
      [
        ['unknown', 'Unknown'],
        ['DE', 'Germany'],
        ['FR', 'France'],
      ],
      'the most visitors first',
    )
    t.same(short(await by('byCountry')), {
      DE: [
        [1, 1, 1, 2, 4000],
        [1, 1, 1, 1, 2500],
      ],
      FR: [
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
      unknown: [
        [1, 1, 0, 0, 0],
        [2, 3, 1, 1, 4000],
      ],
    })
    t.same(
      rows.find(row => row.value === 'DE')!.arms.map(arm => arm.units),
      [4, 1],
    )
    t.same(
      (await by('byCountry', { sort: 'value' }))!.rows.map(row => row.label),
      ['France', 'Germany', 'Unknown'],
      'by name, not by code',
    )
    t.same(
      (await by('byCountry', { sort: 'units', pageSize: 1 }))!.rows.map(row => row.value),
      ['DE'],
    )
    t.same(short(await by('byCountry', { country: 'FR', visitors: 'returning' })), {
      FR: [
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    })
    t.same(short(await by('byDevice', { country: 'DE' })), {
      phone: [
        [1, 1, 1, 2, 4000],
        [1, 1, 1, 1, 2500],
      ],
    })
    t.same(short(await by('byChannel', { country: 'unknown' })), {
      email: [
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
      referral: [
        [0, 0, 0, 0, 0],
        [1, 2, 1, 1, 4000],
      ],
      direct: [
        [0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
      ],
    })
    t.same(short(await by('byOrderType', { country: 'DE' }))['renewal'], [
      [1, 1, 0, 0, 0],
      [1, 1, 1, 1, 2500],
    ])
    t.same(short(await by('referrers', { country: 'unknown', sort: 'value' })), {
      'blog.example': [
        [0, 0, 0, 0, 0],
        [1, 2, 1, 1, 4000],
      ],
      '(direct)': [
        [1, 1, 0, 0, 0],
        [1, 1, 0, 0, 0],
      ],
    })
    t.same((await by('byVisitors', { country: 'JP' }))!.rows, [])
  },
)

t.test(
  'by type of order: against all visitors; renewals apart, in no arm’s conversions',
  async t => {
    t.same(short(await by('byOrderType')), {
      oneTime: [
        [3, 3, 1, 1, 3000],
        [3, 4, 1, 1, 4000],
      ],
      subscription: [
        [3, 3, 1, 1, 1000],
        [3, 4, 1, 1, 2500],
      ],
      renewal: [
        [3, 3, 0, 0, 0],
        [3, 4, 1, 1, 2500],
      ],
    })
    const { summary } = await call('test', { params: { id: testId } }, token)
    t.same(
      summary.ledger.arms.map(arm => arm.orders),
      [2, 2],
    )
    t.match(
      summary.ledger.excluded.find(line => line.reason === 'renewal'),
      { orders: 1, amount: 2500 },
    )
  },
)

t.test('referrers: hosts, the shop’s own not among them; searched', async t => {
  t.same(short(await by('referrers', { sort: 'value' })), {
    '(direct)': [
      [1, 1, 0, 0, 0],
      [1, 1, 0, 0, 0],
    ],
    'blog.example': [
      [1, 1, 0, 0, 0],
      [1, 2, 1, 1, 4000],
    ],
    'google.com': [
      [1, 1, 1, 2, 4000],
      [0, 0, 0, 0, 0],
    ],
    'google.de': [
      [0, 0, 0, 0, 0],
      [1, 1, 1, 1, 2500],
    ],
  })
  const names = async (query: Query) => (await by('referrers', query))!.rows.map(row => row.value)
  t.same(await names({ search: 'GOOGLE', sort: 'value' }), ['google.com', 'google.de'])
  t.same(await names({ search: '%' }), [], 'a wildcard is a character like any other')
  t.same(await names({ search: 'direct' }), ['(direct)'])
})

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

t.test('paged and sorted as asked, and refused where the question makes no sense', async t => {
  const page = async (query: Query) => (await by('byChannel', query))!.rows.map(row => row.value)
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
  t.same(await named(by('byChannel', { search: 'x' })), [400, 'search'], 'hosts alone are searched')
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

t.test('another store’s test is not there, nor is one that nobody has', async t => {
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
  'what the plan does not have is refused in words, as a filter too; devices are for everybody',
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
      'nor is it told order by order',
    )
    await onPlan(plan_id!)
    t.match(await visitors(), [
      { device: 'phone', arm: 0, channel: 'organicSearch', isNew: true, country: 'DE' },
    ])
  },
)

t.test('sessions, bounces and the other metrics day by day', async t => {
  const daily = async (metric: string) =>
    (await call('dailyBy', { params: { id: testId, metric } }, token))
      .at(-1)!
      .arms.map(arm => [arm.count, arm.denominator, arm.value])
  t.same(await daily('Sessions'), [
    [3, null, 3],
    [4, null, 4],
  ])
  t.same(
    await daily('BounceRate'),
    [
      [1, 3, 1 / 3],
      [3, 3, 1],
    ],
    'Eve saw one page in the session that brought her into the test',
  )
  t.same(await daily('Revenue'), [
    [4000, null, 4000],
    [6500, null, 6500],
  ])
  t.same(await daily('Conversions'), [
    [1, null, 1],
    [2, null, 2],
  ])
  t.same(await daily('AverageOrderValue'), [
    [4000, 2, 2000],
    [6500, 2, 3250],
  ])
})

t.test('of more than 500 referrers the busiest are told apart, the others are one row', async t => {
  await sql`insert into test_cube select store_id, test_id, 'host-' || lpad(n::text, 4, '0') || '.example', arm, device, channel, is_new, 1, 0, 0, 0, 1
    from test_cube, generate_series(1, 6000) n where test_id = ${testId} and referrer = 'blog.example' and country = '*' and arm = 1`.execute(
    db.kysely,
  )
  const { rows, count } = (await by('referrers', { sort: 'visitors', pageSize: 100 }))!
  t.equal(count, 501)
  t.match(
    rows[0],
    { value: '(other)', arms: [{ visitors: 0 }, { visitors: 5_504 }] },
    'of 6,004 hosts, equally busy ones by name',
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
  t.match(named, { value: 'constructor', label: 'constructor' }, 'a host is no word of ours')
})
