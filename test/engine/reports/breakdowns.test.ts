import t from 'tap'
import { type BreakdownQuery, startBreakdownShop } from '../support/shops/breakdown-shop.ts'

const { call, token, testId, by, short } = await startBreakdownShop(t)

t.test('by channel: each visitor counts in the channel of their first visit', async t => {
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
  'by country, from the edge’s header, also as a filter; visitors without a country have their own row and filter',
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
      'sorted by name, not by code',
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
  'by type of order, each compared with all visitors; renewals are separate and are no conversions of an arm',
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

t.test('referrers are hosts without the shop’s own, and can be searched', async t => {
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
  const names = async (query: BreakdownQuery) =>
    (await by('referrers', query))!.rows.map(row => row.value)
  t.same(await names({ search: 'GOOGLE', sort: 'value' }), ['google.com', 'google.de'])
  t.same(await names({ search: '%' }), [], 'a wildcard is a normal character')
  t.same(await names({ search: 'direct' }), ['(direct)'])
})

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
