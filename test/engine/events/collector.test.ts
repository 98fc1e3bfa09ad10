import { createHmac } from 'node:crypto'
import t from 'tap'
import { sql } from 'kysely'
import type { Problem } from '../../../domain/problem.ts'
import type { CollectorOptions } from '../../../engine/events/collector.ts'
import { seedTest } from '../support/seeds.ts'
import { appSecret, firstShop as shop, secondShop } from '../support/small-shop.ts'
import {
  beacon,
  browser,
  collect,
  countOf,
  event,
  noon,
  phone,
  shopTokens,
  visitorIn,
} from '../support/traffic.ts'
import { hour, minute, shopWithTest } from '../support/collector-shop.ts'

t.test('anything but a beacon of this shop is refused, and nothing of it is stored', async t => {
  const { db, app, testId } = await shopWithTest(t)
  const good = beacon('visitor-good', { [testId]: [0, 7] }, [event('view', noon)])
  const [first] = good.events
  const wrong: [
    what: string,
    status: number,
    field: string | null,
    body: unknown,
    headers?: Record<string, string>,
  ][] = [
    ['not JSON', 400, null, '{"v":1'],
    ['nothing', 400, null, ''],
    ['a list', 400, null, []],
    ['another version', 400, 'v', { ...good, v: 2 }],
    ['no visitor', 400, 'visitor', { ...good, visitor: undefined }],
    ['a visitor of another form', 400, 'visitor', { ...good, visitor: 'a b c d e f' }],
    ['an unknown field', 400, 'storeId', { ...good, storeId: 'x' }],
    ['no event', 400, 'events', { ...good, events: [] }],
    [
      'too many events',
      400,
      'events',
      { ...good, events: Array.from({ length: 51 }, () => first) },
    ],
    [
      'an unknown kind',
      400,
      'events.0.kind',
      { ...good, events: [{ ...first, kind: 'purchase' }] },
    ],
    ['a time as text', 400, 'events.0.at', { ...good, events: [{ ...first, at: '2026-11-10' }] }],
    [
      'an unknown field in an event',
      400,
      'events.0.revenue',
      { ...good, events: [{ ...first, revenue: 5 }] },
    ],
    ['a NUL in a path', 400, 'events.0.path', { ...good, events: [{ ...first, path: '/a\0b' }] }],
    [
      'an arm that does not exist',
      400,
      `tests.${testId}.0`,
      { ...good, tests: { [testId]: [2, 7] } },
    ],
    [
      'a poisoned prototype',
      400,
      null,
      JSON.stringify(good).replace('"isNew"', '"__proto__":{"x":1},"isNew"'),
    ],
    ['too large', 413, null, { ...good, landing: 'x'.repeat(70_000) }],
    [
      'another content type',
      415,
      null,
      good,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['a foreign origin', 403, null, good, { origin: 'https://evil.test' }],
    ['an opaque origin', 403, null, good, { origin: 'null' }],
    ['an unknown shop', 404, null, { ...good, shop: 'nobody.demo-shop.test' }],
    ['a wrong replay signature', 401, null, good, { 'x-twinshelf-replay': 'ab'.repeat(32) }],
  ]
  for (const [what, status, field, body, headers] of wrong) {
    const response = await collect(app, body, headers)
    t.equal(response.statusCode, status, what)
    const problem = response.json<Problem>()
    t.ok(problem.message && problem.uuid, `${what}: says what is wrong`)
    if (field)
      t.ok(
        problem.fields?.some(f => f.field === field),
        `${what}: names ${field}, not ${problem.fields?.map(f => f.field).join()}`,
      )
  }
  t.equal(await countOf(db, 'events'), 0)
  t.equal(await countOf(db, 'test_visitors'), 0)
  t.equal((await collect(app, good)).statusCode, 204, 'the valid beacon is accepted')
  t.equal(await countOf(db, 'events'), 1)
})

t.test(
  'pages of the shop may send and read the status; a request without an origin needs the token of the script',
  async t => {
    const { db, app } = await shopWithTest(t)
    for (const origin of ['http://localhost:3002', `https://${shop}`]) {
      const response = await collect(app, beacon('visitor-one', {}, [event('view', noon)]), {
        origin,
      })
      t.equal(response.statusCode, 204, origin)
      t.equal(response.headers['access-control-allow-origin'], origin)
    }
    const from = (origin: string | undefined, token?: string) =>
      app.inject({
        method: 'POST',
        url: `/collect${token === undefined ? '' : `?${token}`}`,
        headers: {
          'content-type': 'application/json',
          'user-agent': browser,
          ...(origin && { origin }),
        },
        payload: beacon('visitor-one', {}, [event('view', noon)]),
      })
    for (const origin of [undefined, 'null']) {
      for (const [token, status] of [
        [undefined, 403],
        ['', 403],
        ['nonsense', 403],
        [shopTokens.of(secondShop), 403],
        [shopTokens.of(shop), 204],
      ] as const)
        t.equal((await from(origin, token)).statusCode, status, `${origin} with ${token}`)
    }
    for (const origin of [
      'https://evil.test',
      `https://evil.test.${shop}`,
      `http://${shop}`,
      `https://www.${shop}`,
    ])
      t.equal(
        (await from(origin, shopTokens.of(shop))).statusCode,
        origin.includes('www.') ? 204 : 429,
        origin,
      )
    // We may learn about the shop's new domain a little later.
    const moved = () => from('https://new.example', shopTokens.of(shop))
    const waiting = await moved()
    t.equal(waiting.statusCode, 429, 'so the script keeps its events')
    t.ok(Number(waiting.headers['retry-after']) > 0)
    t.equal((await from('https://new.example')).statusCode, 403, 'a page without the script')
    t.equal(await countOf(db, 'events'), 5)
  },
)

t.test(
  'an exposure counts once, in its arm and on its device; clicks and carts only after it',
  async t => {
    const { app, testId, days } = await shopWithTest(t)
    const [anna, ben, cleo] = [
      visitorIn(testId, 0, 'anna'),
      visitorIn(testId, 1, 'ben'),
      visitorIn(testId, 1, 'cleo'),
    ]
    const exposed = (arm: 0 | 1) => ({ [testId]: [arm, 7] as [0 | 1, number] })
    await collect(
      app,
      beacon(anna, exposed(0), [
        event('click', noon - 2000, [testId]),
        event('exposure', noon - 1000, [testId]),
      ]),
    )
    await collect(
      app,
      beacon(ben, exposed(1), [
        event('exposure', noon - 1000, [testId]),
        event('click', noon, [testId]),
        event('cart', noon),
      ]),
      { 'user-agent': phone },
    )
    const later = beacon(cleo, exposed(1), [
      event('exposure', noon - 1000, [testId]),
      event('cart', noon),
    ])
    await Promise.all([collect(app, later), collect(app, later)])
    await collect(app, later)
    t.same(await days(), [
      { arm: 0, value: '', visitors: 1, clickers: 0, adders: 0 },
      { arm: 0, value: 'desktop', visitors: 1, clickers: 0, adders: 0 },
      { arm: 1, value: '', visitors: 2, clickers: 1, adders: 2 },
      { arm: 1, value: 'desktop', visitors: 1, clickers: 0, adders: 1 },
      { arm: 1, value: 'phone', visitors: 1, clickers: 1, adders: 1 },
    ])
  },
)

t.test(
  'the country is stored if the edge sends it, in the header that the configuration names',
  async t => {
    const countries = async (options: Partial<CollectorOptions>) => {
      const { db, app, testId } = await shopWithTest(t, options)
      await collect(
        app,
        beacon(visitorIn(testId, 0, 'anna'), { [testId]: [0, 7] }, [
          event('exposure', noon, [testId]),
          event('view', noon),
        ]),
        { 'cf-ipcountry': 'DE' },
      )
      return [
        ...(await sql`select country from test_visitors`.execute(db.kysely)).rows,
        ...(await sql`select country from events order by kind`.execute(db.kysely)).rows,
      ]
    }
    t.same(await countries({ countryHeader: 'cf-ipcountry' }), [
      { country: 'DE' },
      { country: 'DE' },
      { country: null },
    ])
    t.same(await countries({}), [{ country: null }, { country: null }, { country: null }])
  },
)

t.test(
  'a wrong arm is set aside; a visitor who met both arms, or is a bot, counts in neither',
  async t => {
    const { app, testId, days, arms } = await shopWithTest(t)
    const exposure = () => [event('exposure', noon, [testId])]
    await collect(app, beacon(visitorIn(testId, 0, 'cheat'), { [testId]: [1, 7] }, exposure()))
    t.same(await days(), [], 'the wrong arm')
    const both = visitorIn(testId, 0, 'both')
    await collect(app, beacon(both, { [testId]: [0, 7] }, exposure()))
    t.equal((await days())[0]!.visitors, 1, 'counted while the visitor has met only their own arm')
    await collect(app, beacon(both, { [testId]: [1, 7] }, exposure()))
    t.same(await days(), [], 'no longer counted once the visitor has met both')
    const bot = visitorIn(testId, 1, 'bot')
    await collect(app, beacon(bot, { [testId]: [1, 7] }, exposure()), {
      'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    })
    await collect(app, beacon(bot, { [testId]: [1, 7] }, [event('view', noon)]))
    t.same(await days(), [], 'once a bot, always a bot')
    t.same(await arms(), [
      { arm: 0, recorded: 0, bots: 0, both_arms: 1, set_aside: 2 },
      { arm: 1, recorded: 0, bots: 1, both_arms: 0, set_aside: 0 },
    ])
  },
)

t.test('events of unknown tests or impossible times are stored, set aside and counted', async t => {
  const { db, app, testId, days, arms } = await shopWithTest(t)
  const anna = visitorIn(testId, 0, 'anna'),
    claims = { [testId]: [0, 7] as [0, number] }
  const events = [
    event('exposure', noon, ['99999999-9999-4999-8999-999999999999']),
    event('exposure', noon - 48 * hour - 1, [testId]),
    event('exposure', noon + 10 * minute + 1, [testId]),
    event('exposure', 0, [testId]),
    event('exposure', Number.MAX_SAFE_INTEGER, [testId]),
  ]
  t.equal((await collect(app, beacon(anna, claims, events))).statusCode, 204)
  t.equal(await countOf(db, 'events'), 5, 'all events are stored')
  t.same(await days(), [])
  t.same(
    (await arms()).map(a => a.set_aside),
    [4],
  )
  await collect(app, beacon(anna, claims, [event('exposure', noon - 47 * hour, [testId])]))
  const { rows } = await sql<{
    day: string
  }>`select distinct day from test_days where visitors <> 0`.execute(db.kysely)
  t.same(
    rows,
    [{ day: '2026-11-08' }],
    'a late event counts on its own day, in the shop’s time zone',
  )
})

t.test(
  'a clock that is hours off is corrected by the time the beacon was sent; a small error is not',
  async t => {
    const { db, app, testId } = await shopWithTest(t)
    const wrong = noon - 30 * hour
    await collect(
      app,
      beacon(
        visitorIn(testId, 0, 'wrong'),
        { [testId]: [0, 7] },
        [event('exposure', wrong - 5000, [testId])],
        { sent: wrong },
      ),
    )
    await collect(
      app,
      beacon(
        visitorIn(testId, 1, 'nearly'),
        { [testId]: [1, 7] },
        [event('exposure', noon - 25_000, [testId])],
        { sent: noon - 20_000 },
      ),
    )
    const { rows } = await sql<{
      arm: number
      first: Date
    }>`select arm, first_exposed_at as first from test_visitors order by arm`.execute(db.kysely)
    t.same(
      rows.map(r => r.first.getTime()),
      [noon - 5000, noon - 25_000],
    )
  },
)

t.test(
  'a pause stops exposures, and also actions of visitors in the test, once every page knows of it',
  async t => {
    const { db, app, storeId, testId, days, arms, at } = await shopWithTest(t)
    const anna = visitorIn(testId, 0, 'anna'),
      ben = visitorIn(testId, 1, 'ben')
    await collect(app, beacon(anna, { [testId]: [0, 7] }, [event('exposure', noon, [testId])]))
    await db.kysely
      .insertInto('test_history')
      .values({
        store_id: storeId,
        test_id: testId,
        status: 'Paused',
        applied_on: new Date(noon + minute),
      })
      .execute()
    at(noon + 5 * minute)
    await collect(
      app,
      beacon(ben, { [testId]: [1, 7] }, [event('exposure', noon + 4 * minute, [testId])], {
        sent: noon + 5 * minute,
      }),
    )
    await collect(
      app,
      beacon(
        anna,
        { [testId]: [0, 7] },
        [event('click', noon + 4 * minute, [testId]), event('cart', noon + 4 * minute)],
        { sent: noon + 5 * minute },
      ),
    )
    t.same(
      (await days()).filter(d => d.value === ''),
      [{ arm: 0, value: '', visitors: 1, clickers: 0, adders: 0 }],
    )
    t.same(
      (await arms()).map(a => a.set_aside),
      [1, 1],
    )
    await collect(
      app,
      beacon(
        anna,
        { [testId]: [0, 7] },
        [event('click', noon + 2 * minute, [testId]), event('cart', noon + 2 * minute)],
        { sent: noon + 5 * minute },
      ),
    )
    t.same(
      (await days()).filter(d => d.value === ''),
      [{ arm: 0, value: '', visitors: 1, clickers: 1, adders: 1 }],
    )
    await db.kysely
      .insertInto('test_history')
      .values({
        store_id: storeId,
        test_id: testId,
        status: 'Active',
        applied_on: new Date(noon + 6 * minute),
      })
      .execute()
    at(noon + 7 * minute)
    await collect(
      app,
      beacon(ben, { [testId]: [1, 7] }, [event('exposure', noon + 7 * minute, [testId])], {
        sent: noon + 7 * minute,
      }),
    )
    t.equal(
      (await days()).find(d => d.arm === 1)?.visitors,
      1,
      'a resume counts at once, although the cached store is paused',
    )
    at(noon + 9 * minute)
    await collect(
      app,
      beacon(
        ben,
        { [testId]: [1, 7] },
        [event('click', noon + 7 * minute, [testId]), event('cart', noon + 7 * minute)],
        { sent: noon + 9 * minute },
      ),
    )
    t.match(
      (await days()).find(d => d.arm === 1),
      { clickers: 1, adders: 0 },
      'a click names the page that it was on',
    )
    await collect(
      app,
      beacon(ben, { [testId]: [1, 7] }, [event('cart', noon + 8 * minute)], {
        sent: noon + 9 * minute,
      }),
    )
    t.match(
      (await days()).find(d => d.arm === 1),
      { adders: 1 },
      'events that name no page count again when every page knows of the resume',
    )
  },
)

t.test('the first visitor of a test that has just been launched is counted', async t => {
  const { app, db, storeId } = await shopWithTest(t)
  await collect(app, beacon('visitor-one', {}, [event('view', noon)]))
  const late = await seedTest(db, storeId)
  await collect(
    app,
    beacon(visitorIn(late, 0, 'first'), { [late]: [0, 7] }, [event('exposure', noon, [late])]),
  )
  const { rows } =
    await sql`select visitors from test_days where test_id = ${late} and dimension = 'all'`.execute(
      db.kysely,
    )
  t.same(rows, [{ visitors: 1 }])
})

t.test(
  'a signed replay of simulated shoppers may lie in the past: it counts as received when it was sent',
  async t => {
    const { db, app, testId } = await shopWithTest(t)
    const past = noon - 5 * 24 * hour
    const body = JSON.stringify(
      beacon(
        visitorIn(testId, 0, 'past'),
        { [testId]: [0, 7] },
        [event('exposure', past - 1000, [testId])],
        { sent: past },
      ),
    )
    const { statusCode } = await collect(app, body, {
      'x-twinshelf-replay': createHmac('sha256', appSecret).update(body).digest('hex'),
    })
    t.equal(statusCode, 204)
    const { rows } = await sql`select day, visitors from test_days where dimension = 'all'`.execute(
      db.kysely,
    )
    t.same(rows, [{ day: '2026-11-05', visitors: 1 }])
  },
)

t.test(
  'every visitor of the shop, in a test or not, counts once a day and once a cycle; bots never do',
  async t => {
    const { app, db } = await shopWithTest(t)
    for (const visitor of ['visitor-one', 'visitor-two', 'visitor-one'])
      for (const at of [noon, noon - 24 * hour])
        await collect(app, beacon(visitor, {}, [event('view', at)]))
    await collect(app, beacon('visitor-bot', {}, [event('view', noon)]), {
      'user-agent': 'curl/8.5.0',
    })
    const { rows } = await sql`select period, visitors from store_periods order by period`.execute(
      db.kysely,
    )
    t.same(rows, [
      { period: 'cycle:2026-11-01T00:00:00.000Z', visitors: 2 },
      { period: 'day:2026-11-09', visitors: 2 },
      { period: 'day:2026-11-10', visitors: 2 },
    ])
  },
)
