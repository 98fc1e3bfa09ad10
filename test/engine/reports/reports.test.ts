import t from 'tap'
import { sql } from 'kysely'
import type { Goal } from '../../../domain/reports/goal.ts'
import { beacon, collect, event, noon, phone, visitorIn } from '../support/traffic.ts'
import { day, hour, minute, shopWithTest } from '../support/reports-shop.ts'

t.test('a small shop, counted by hand', async t => {
  const { visit, buy, report, daily } = await shopWithTest(t, {
    start_at: new Date(noon - 2 * day),
  })
  // Control: Anna (on a phone) clicks, and buys on two days. Bea adds to the cart before her
  // exposure. Cid does nothing.
  await visit('anna', 0, { exposure: day, click: day - hour }, { agent: phone })
  await visit('bea', 0, { cart: 3 * hour, exposure: 2 * hour })
  await visit('cid', 0, { exposure: hour })
  // Variant: Dora adds to the cart and buys. Eve buys before her exposure and again after it, and
  // gets a partial refund.
  await visit('dora', 1, { exposure: 2 * hour, cart: hour })
  await visit('eve', 1, { exposure: hour, click: minute })
  // A bot, and Fay, who met both arms.
  await visit(
    'bot',
    1,
    { exposure: hour },
    { agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
  )
  await visit('fay', 0, { exposure: hour })
  await visit('fay', 0, { view: minute }, { met: 1 })
  await buy('1', 'anna', day - 2 * hour, '30.00')
  await buy('2', 'anna', minute, '20.00')
  await buy('3', 'dora', 30 * minute, '45.50')
  await buy('4', 'eve', 2 * hour, '99.99')
  await buy('5', 'eve', minute, '10.00', { refunded: '4.00' })
  await buy('6', 'bot', minute, '5.00')
  await buy('7', null, minute, '7.00')
  await buy('8', 'cid', minute, '1.00', { test: true })
  await buy('9', 'stranger', minute, '2.00')
  await buy('11', 'fay', minute, '3.00')
  await buy('10', 'anna', 3 * day, '1000.00')

  const { summary } = await report()
  t.same(summary.visitors, [3, 2])
  const goal = (name: Goal) => summary.goals.find(g => g.goal === name)!
  const counts = (name: Goal) => goal(name).arms.map(arm => [arm.count, arm.value])
  t.same(
    counts('ConversionRate'),
    [
      [1, 1 / 3],
      [2, 2 / 2],
    ],
    'buyers per visitor',
  )
  t.same(
    counts('AverageOrderValue'),
    [
      [2, 2500],
      [2, 2775],
    ],
    'revenue per order: 50.00 by 2, 55.50 by 2',
  )
  t.same(
    counts('RevenuePerSession'),
    [
      [2, 5000 / 3],
      [2, 2775],
    ],
    'revenue per visitor',
  )
  t.same(counts('ClickThroughRate'), [
    [1, 1 / 3],
    [1, 1 / 2],
  ])
  t.same(
    counts('AddToCartRate'),
    [
      [0, 0],
      [1, 1 / 2],
    ],
    'an add to cart before the exposure does not count',
  )
  t.equal(goal('ConversionRate').chanceToWin, null, 'there is too little data')
  t.same(summary.ledger.arms, [
    { orders: 2, amount: 5000, refunds: 0 },
    { orders: 2, amount: 5550, refunds: 400 },
  ])
  t.same(
    summary.ledger.excluded.filter(line => line.orders > 0),
    [
      { reason: 'noExposure', orders: 1, amount: 200, refunds: 0 },
      { reason: 'beforeExposure', orders: 1, amount: 9999, refunds: 0 },
      { reason: 'bothArms', orders: 1, amount: 300, refunds: 0 },
      { reason: 'bot', orders: 1, amount: 500, refunds: 0 },
      { reason: 'testOrder', orders: 1, amount: 100, refunds: 0 },
      { reason: 'noConsent', orders: 1, amount: 700, refunds: 0 },
    ],
  )
  t.same(
    summary.ledger.total,
    { orders: 10, amount: 5000 + 5550 + 200 + 9999 + 300 + 500 + 100 + 700, refunds: 400 },
    'all orders while the test ran',
  )
  t.same(summary.bots, [0, 1])
  t.same(summary.withBots, { visitors: [3, 3], chanceToWin: null, lift: null, kind: 'collecting' })
  t.equal(summary.bothArms, 1)
  t.same(
    summary.splitByDevice.map(({ device, observed }) => [device, observed]),
    [
      ['desktop', [2, 2]],
      ['phone', [1, 0]],
    ],
  )
  t.same(
    summary.stages.map(s => s.recorded),
    [3, 2],
  )

  const conversions = await daily('ConversionRate'),
    revenue = await daily('RevenuePerSession')
  t.same(
    conversions.map(p => [
      p.day,
      p.arms[0].visitors,
      p.arms[0].count,
      p.arms[1].visitors,
      p.arms[1].count,
    ]),
    [
      ['2026-11-08', 0, 0, 0, 0],
      ['2026-11-09', 1, 1, 0, 0],
      ['2026-11-10', 2, 0, 2, 2],
    ],
    'a buyer counts on the day of the first order, a visitor on that of the exposure',
  )
  t.same(
    revenue.map(p => [p.arms[0].count, p.arms[1].count]),
    [
      [0, 0],
      [3000, 0],
      [2000, 5550],
    ],
  )
  t.same(
    conversions.map(p => p.paused),
    ['no', 'no', 'no'],
  )
})

t.test('the summary also has consent, page speed and the result with bots', async t => {
  const { engine, shop, testId, visit, buy, report } = await shopWithTest(t, {
    start_at: new Date(noon - 8 * day),
  })
  const send = async (
    name: string,
    arm: 0 | 1,
    events: ReturnType<typeof event>[],
    over: Parameters<typeof beacon>[3] = {},
    agent?: string,
  ) => {
    const { statusCode } = await collect(
      engine.app,
      beacon(visitorIn(testId, arm, name), { [testId]: [arm, 7] }, events, over),
      { origin: shop.origin, ...(agent && { 'user-agent': agent }) },
    )
    t.equal(statusCode, 204)
  }
  const page = (
    vitals: NonNullable<ReturnType<typeof event>['vitals']>,
    tests = [testId],
    at = noon,
  ) => ({ ...event('vitals', at, tests), vitals })
  await send('asked', 0, [event('exposure', noon - hour, [testId])], { consent: true })
  await send('not-asked', 0, [event('exposure', noon - hour, [testId])])
  // Two exposures at the same instant count as one, without consent, in whichever order they come.
  for (const names of [
    ['twice', true],
    ['twice', false],
    ['again', false],
    ['again', true],
  ] as const)
    await send(
      names[0],
      1,
      [event('exposure', noon - hour, [testId])],
      names[1] ? { consent: true } : {},
    )
  t.same((await report()).summary.consented, [1, 0])

  const slow = page({ lcp: 3000, cls: 0, inp: 250 })
  await send('asked', 0, [page({ lcp: 1000 }), page({ lcp: 1000, cls: 120 }), page({}), slow])
  await send('asked', 0, [slow])
  await send('twice', 1, [
    page({ lcp: 2000 }),
    page({ lcp: 9000 }, []),
    page({ lcp: 9000 }, ['99999999-9999-4999-8999-999999999999']),
    page({ lcp: 9000 }, [testId], noon - 9 * day),
    page({ lcp: 9000 }, [testId], noon - 47 * hour),
  ])
  await send('twice', 1, [page({ lcp: 9000 })], { tests: { [testId]: [0, 1] } })
  await send(
    'crawler',
    1,
    [page({ lcp: 9000 })],
    {},
    'Googlebot/2.1 (+http://www.google.com/bot.html)',
  )
  const {
    summary: { speed, setAside, visitors },
  } = await report()
  t.same(
    speed.map(row => [row.metric, row.arms.map(arm => arm.pages)]),
    [
      ['lcp', [3, 2]],
      ['cls', [2, 0]],
      ['inp', [1, 0]],
    ],
    'a repeat, a bot, another arm, another test and a far-off time add nothing',
  )
  const [fast, far] = speed[0]!.arms.map(arm => arm.p75!)
  t.ok(
    fast! > 2700 && fast! < 3300 && far! > 8000 && far! < 10_000,
    `${fast} and ${far} ms, to the precision of the scale`,
  )
  t.equal(speed[1]!.arms[1].p75, null)
  t.equal(setAside, 1, 'only the event with a far-off time')
  t.same(visitors, [2, 2], 'a measured page adds no visitor')

  // Without the bots there is too little data. With them the variant wins.
  const bot = { agent: 'curl/8.5.0' }
  await Promise.all(
    [0, 1].flatMap(arm =>
      Array.from({ length: 120 }, (_, i) =>
        visit(`bot-${arm}-${i}`, arm as 0 | 1, { exposure: hour }, bot),
      ),
    ),
  )
  await Promise.all(
    [0, 1].flatMap(arm =>
      Array.from({ length: arm ? 90 : 20 }, (_, i) =>
        buy(`order-${arm}-${i}`, `bot-${arm}-${i}`, minute, '10.00'),
      ),
    ),
  )
  // This bot met both arms, so the result with bots leaves it out too.
  await visit('bot-both', 0, { exposure: hour }, bot)
  await visit('bot-both', 0, { view: minute }, { met: 1, ...bot })
  const { summary } = await report()
  t.same([summary.visitors, summary.bots, summary.verdict.kind], [[2, 2], [121, 120], 'collecting'])
  t.match(summary.withBots, { visitors: [122, 122], kind: 'winner', chanceToWin: Number })
  t.ok(Math.abs(summary.withBots!.lift! - (90 / 20 - 1)) < 1e-9)
})

t.test('later events change how earlier orders count', async t => {
  const { visit, buy, report } = await shopWithTest(t)
  const ledger = async () => {
    const { arms, excluded } = (await report()).summary.ledger
    return [
      ...arms.map(arm => arm.orders),
      ...excluded.filter(line => line.orders > 0).map(line => line.reason),
    ]
  }
  await buy('1', 'anna', minute, '30.00')
  t.same(await ledger(), [0, 0, 'noExposure'])
  await visit('anna', 0, { exposure: 0 })
  t.same(await ledger(), [0, 0, 'beforeExposure'], 'the order came before this exposure')
  await visit('anna', 0, { exposure: hour })
  t.same(await ledger(), [1, 0], 'an earlier exposure arrives late, and the order counts')
  await visit('anna', 0, { view: 0 }, { met: 1 })
  t.same(await ledger(), [0, 0, 'bothArms'])
  await visit('anna', 0, { view: 0 }, { agent: 'curl/8.5.0' })
  t.same(await ledger(), [0, 0, 'bot'])
})

t.test(
  'actions and orders during a pause count for no arm, even when the pause is stored late',
  async t => {
    const { visit, buy, report, call, token, db, now, storeId, testId } = await shopWithTest(t)
    const later = (minutes: number) => {
      now.at = new Date(noon + minutes * minute)
    }
    const put = async (status: 'Active' | 'Paused') =>
      call('updateTest', { params: { id: testId }, body: { status } }, await token())
    const found = async () => {
      const {
        summary: { ledger, goals },
      } = await report()
      return [
        ...ledger.arms.map(arm => arm.orders),
        ...ledger.excluded
          .filter(line => line.orders > 0)
          .map(({ reason, orders, amount }) => [reason, orders, amount]),
        goals.find(({ goal }) => goal === 'ClickThroughRate')!.arms[0].count,
      ]
    }
    await visit('anna', 0, { exposure: hour })
    await buy('1', 'anna', minute, '30.00')
    await put('Paused')
    later(10)
    await buy('2', 'anna', -5 * minute, '20.00')
    await buy('3', null, -5 * minute, '10.00')
    await visit('anna', 0, { click: -5 * minute })
    t.same(await found(), [1, 0, ['noConsent', 1, 1000], ['paused', 1, 2000], 0])
    t.match(
      await call(
        'testOrders',
        { params: { id: testId }, query: { part: 'paused' } },
        await token(),
      ),
      { count: 1, rows: [{ id: '2', arm: null, reason: 'paused' }] },
    )
    await buy('4', 'anna', -6 * minute, '5.00', { order_type: 'renewal' } as never)
    later(20)
    await put('Active')
    later(30)
    await buy('5', 'anna', -25 * minute, '7.00')
    await buy('6', 'anna', -29 * minute, '9.00')
    await visit('anna', 0, { click: -29 * minute })
    t.same(await found(), [
      3,
      0,
      ['noConsent', 1, 1000],
      ['renewal', 1, 500],
      ['paused', 1, 2000],
      1,
    ])
    const { rows: cells } =
      await sql`select from test_cube_orders where test_id = ${testId} and type = 'renewal'`.execute(
        db.kysely,
      )
    t.same(cells, [], 'a renewal during the pause belongs to no arm')

    // A hold that is committed late: orders after its start are summed up already.
    const stopped = new Date(noon + 28 * minute)
    await db.kysely
      .insertInto('test_history')
      .values({ store_id: storeId, test_id: testId, status: 'OnHold', applied_on: stopped })
      .execute()
    await db.kysely
      .updateTable('tests')
      .set({ status: 'OnHold', updated_at: new Date(noon + 29.5 * minute) })
      .where('test_id', '=', testId)
      .execute()
    later(31.5)
    t.same(await found(), [
      2,
      0,
      ['noConsent', 1, 1000],
      ['renewal', 1, 500],
      ['paused', 2, 2900],
      1,
    ])
  },
)

t.test(
  'a verdict is reached once, at the planned end, and stays; each history entry is written once',
  async t => {
    const { visit, buy, report, testId, db, now } = await shopWithTest(t, {
      start_at: new Date(noon - 6 * day),
      ends_at: new Date(noon - minute),
      planned_visitors: 400,
    })
    now.at = new Date(noon - 2 * minute)
    const each = (arm: 0 | 1, from: number, to: number, act: (name: string) => Promise<void>) =>
      Promise.all(Array.from({ length: to - from }, (_, i) => act(`v${from + i}-${arm}`)))
    for (const arm of [0, 1] as const)
      await each(arm, 0, 130, name => visit(name, arm, { exposure: hour }))
    await each(0, 0, 20, name => buy(name, name, 30 * minute, '40.00'))
    await each(1, 0, 60, name => buy(name, name, 30 * minute, '40.00'))
    const before = await report()
    t.notOk(before.summary.verdict.reachedAt, 'not before the planned end')
    t.same(
      before.events.map(e => [e.kind, e.value]),
      [
        ['Progress', 0.25],
        ['Progress', 0.5],
      ],
    )

    now.at = new Date(noon)
    await db.kysely
      .updateTable('tests')
      .set({ updated_at: new Date(noon) })
      .where('test_id', '=', testId)
      .execute()
    const reached = await report()
    t.equal(reached.summary.verdict.kind, 'winner')
    t.equal(reached.summary.verdict.lift, 60 / 20 - 1)
    t.equal(reached.summary.goals[0]!.lift, 60 / 20 - 1)

    now.at = new Date(noon + minute)
    await each(0, 20, 130, name => buy(name, name, 0, '40.00'))
    const later = await report()
    t.ok(later.summary.goals[0]!.lift! < 0, 'now control has the better figures')
    t.same(later.summary.verdict, reached.summary.verdict, 'the verdict stays')
    t.same(later.events.map(e => e.kind).sort(), ['Duration', 'Lift', 'Progress', 'Progress'])
    t.match(
      later.events.find(e => e.kind === 'Lift'),
      {
        at: new Date(noon).toISOString(),
        value: 2,
        detail: /^Winner: \+200\.0%, chance to win > 99\.9%$/,
      },
    )
  },
)

t.test('the daily series shows pauses, and nothing counts after the end', async t => {
  const { call, token, now, testId, visit, buy, report, daily } = await shopWithTest(t, {
    start_at: new Date(noon - 2 * day),
  })
  const move = async (status: 'Active' | 'Paused' | 'Ended', ago: number) => {
    now.at = new Date(noon - ago)
    await call('updateTest', { params: { id: testId }, body: { status } }, await token())
  }
  await move('Paused', 2 * day - hour)
  await move('Active', 4 * hour)
  now.at = new Date(noon - hour)
  await visit('anna', 0, { exposure: hour })
  await buy('1', 'anna', hour, '10.00')
  t.equal((await report()).summary.ledger.arms[0].orders, 1)
  await move('Ended', minute)
  now.at = new Date(noon)
  await buy('2', 'anna', 0, '10.00')
  const { summary, status } = await report()
  t.equal(status, 'Ended')
  t.same(summary.ledger.total.orders, 1, 'orders after the end do not count')
  t.same(
    (await daily('ConversionRate')).map(p => [p.day, p.paused]),
    [
      ['2026-11-08', 'partly'],
      ['2026-11-09', 'wholly'],
      ['2026-11-10', 'partly'],
    ],
  )
})

t.test(
  'unknown metrics and tests are a 404; a test without visitors still has its days',
  async t => {
    const { call, token, daily } = await shopWithTest(t, {
      start_at: new Date('2026-11-01T12:00:00Z'),
    })
    for (const metric of ['Happiness', 'toString', 'constructor'])
      await t.rejects(daily(metric), /^404 /, metric)
    await t.rejects(
      call(
        'dailyBy',
        { params: { id: '99999999-9999-4999-8999-999999999999', metric: 'ConversionRate' } },
        await token(),
      ),
      /404 /,
    )
    const points = await daily('ClickThroughRate')
    t.same(
      points.map(p => p.day),
      Array.from({ length: 10 }, (_, i) => `2026-11-${String(i + 1).padStart(2, '0')}`),
    )
    t.ok(points.every(p => p.chanceToWin === null && p.arms[0].visitors === 0))
  },
)
