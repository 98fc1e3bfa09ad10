import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { addressShare } from '../../../domain/events/event-limit.ts'
import type { Problem } from '../../../domain/problem.ts'
import { clientOf } from '../../../domain/events/client-address.ts'
import { sessionsTaken, visitorLimit } from '../../../engine/events/visitor-limits.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore } from '../support/seeds.ts'
import { appSecret, firstShop, secondShop } from '../support/small-shop.ts'
import {
  beacon,
  browser,
  collect,
  collectingApp,
  countOf,
  event,
  noon,
  shopTokens,
} from '../support/traffic.ts'

const visit = (name: string, over: object = {}) =>
  beacon(`visitor-${name}`, {}, [event('view', noon)], over)

/** A beacon with fifty views, as many events as one beacon can hold. */
const full = (name: string, over: object = {}) =>
  beacon(
    `visitor-${name}`,
    {},
    Array.from({ length: 50 }, () => event('view', noon)),
    over,
  )

/** Sends a beacon from this address; returns the status of the answer. */
const answerTo = async (
  app: FastifyInstance,
  remoteAddress: string,
  body: object,
  { url = '/collect', origin = 'http://localhost:3002' } = {},
): Promise<number> =>
  (
    await app.inject({
      method: 'POST',
      url,
      remoteAddress,
      headers: { 'content-type': 'text/plain', 'user-agent': browser, origin },
      payload: JSON.stringify(body),
    })
  ).statusCode

t.test(
  'an address that sends too much gets a 429 that says when to come back, and is not stored',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon), { perAddress: 3 })
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    await seedStore(db)
    t.equal((await collect(app, '{')).statusCode, 400, 'invalid requests count too')
    for (const name of ['anna', 'ben']) t.equal((await collect(app, visit(name))).statusCode, 204)
    const refused = await collect(app, visit('cleo'))
    t.equal(refused.statusCode, 429)
    t.match(refused.json<Problem>(), { message: /later/, error: 429, uuid: String })
    const wait = Number(refused.headers['retry-after'])
    t.ok(wait >= 1 && wait <= 60, `in ${wait} s`)
    t.equal(
      refused.headers['access-control-allow-origin'],
      'http://localhost:3002',
      'so that the page may read the status',
    )
    t.equal(await countOf(db, 'events'), 2)

    const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
      app.inject({
        method: 'POST',
        url: '/collect',
        remoteAddress,
        headers: {
          'content-type': 'text/plain',
          'user-agent': browser,
          origin: 'http://localhost:3002',
          ...headers,
        },
        payload: JSON.stringify(visit('dora')),
      })
    t.equal((await from('203.0.113.9')).statusCode, 204, 'another address is not limited')
    t.equal(
      (await from('127.0.0.1', { 'x-forwarded-for': '203.0.113.10' })).statusCode,
      429,
      'a client cannot name its own address',
    )
    const body = JSON.stringify(visit('evan'))
    const signed = (key: string) =>
      collect(app, body, {
        'x-twinshelf-replay': createHmac('sha256', key).update(body).digest('hex'),
      })
    t.equal((await signed(appSecret)).statusCode, 204, 'signed simulated shoppers are not limited')
    t.equal((await signed('another secret')).statusCode, 401)
    t.equal((await signed('another secret')).statusCode, 429, 'one whose signature is wrong is')
  },
)

t.test('too many events for one shop do not limit other shops', async t => {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon), { eventsPerShop: 2 })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  await seedStore(db)
  await seedStore(db, { shop: secondShop, origin: 'http://localhost:3002' })
  for (const name of ['anna', 'ben']) t.equal((await collect(app, visit(name))).statusCode, 204)
  const refused = await collect(app, visit('cleo'))
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.equal((await collect(app, visit('dora', { shop: secondShop }))).statusCode, 204)
  t.equal(await countOf(db, 'events'), 3)
})

t.test(
  'events are limited and not beacons, by their size in bytes and by the plan of the shop',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon), { eventsPerAddress: 100 })
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    await seedStore(db)
    const from = (remoteAddress: string, body: object) => answerTo(app, remoteAddress, body)
    t.same(
      [
        await from('203.0.113.1', full('anna')),
        await from('203.0.113.1', full('ben')),
        await from('203.0.113.1', visit('cleo')),
      ],
      [204, 204, 429],
      'the limit counts a hundred events, not beacons',
    )
    const long = 'x'.repeat(2_000)
    t.equal(
      await from('203.0.113.2', {
        ...full('dora'),
        landing: `/${long}`,
        referrer: `https://${long}`,
        events: Array.from({ length: 15 }, () => event('exposure', noon)),
      }),
      204,
    )
    t.equal(
      await from('203.0.113.2', visit('evan')),
      429,
      'fifteen events that repeat four kilobytes each count as a hundred',
    )
    t.equal(await from('2001:db8:1:2:3::1', full('fay')), 204)
    t.equal(await from('2001:db8:1:2:ffff::9', full('gus')), 204)
    t.equal(
      await from('2001:DB8:1:2::7', visit('hal')),
      429,
      'a client may use any address of its /64',
    )
    t.equal(await from('2001:db8:1:3::1', visit('ida')), 204)

    // 60,000 visitors a month give the lowest limit of events that any plan has.
    const byPlan = await collectingApp(db, () => new Date(noon), { eventsPerShop: undefined })
    t.teardown(() => byPlan.close())
    await db.kysely.updateTable('plans').set({ monthly_visitors: 60_000 }).execute()
    const all = await Promise.all(
      Array.from({ length: 121 }, (_, i) => answerTo(byPlan, `198.51.${i}.7`, full(`many-${i}`))),
    )
    t.same(
      [204, 429].map(status => all.filter(answer => answer === status).length),
      [120, 1],
    )
  },
)

t.test('requests without an origin have a tenth of the limits', async t => {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon), {
    eventsPerAddress: 20,
    eventsPerShop: 1_000,
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  await seedStore(db)
  const send = (name: string, url: string, origin = 'null') =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'text/plain', 'user-agent': browser, origin },
      payload: JSON.stringify(visit(name)),
    })
  const url = `/collect?${shopTokens.of(firstShop)}`
  const answers: number[] = []
  for (const name of ['anna', 'ben', 'cleo', 'dora'])
    answers.push((await send(name, url)).statusCode)
  t.same([answers[0], answers.at(-1)], [204, 429])
  t.equal(
    (await send('evan', url, 'http://localhost:3002')).statusCode,
    204,
    'pages of the shop are not limited by it',
  )
})

t.test('sign-ins are limited by address, which only a trusted proxy can name', async t => {
  for (const trusted of [true, false]) {
    const { engine, shop, close } = await startEngine(
      {},
      { AUTH_PER_ADDRESS: '3', ...(trusted && { TRUST_PROXY: 'loopback, 10.0.0.0/8' }) },
    )
    t.teardown(close)
    const signIn = async (address: string) => {
      const { statusCode, headers } = await engine.app.inject({
        method: 'POST',
        url: '/auth',
        headers: { 'x-forwarded-for': address },
        payload: { idToken: await shop.idToken() },
      })
      return statusCode === 429 ? [429, Number(headers['retry-after']) > 0] : statusCode
    }
    // The engine signed in once at its start, without a forwarded address.
    t.equal(await signIn('203.0.113.1'), 200)
    t.equal(await signIn('203.0.113.1'), 200)
    t.same(await signIn('203.0.113.1'), trusted ? 200 : [429, true])
    t.same(await signIn('203.0.113.1'), [429, true])
    t.same(await signIn('203.0.113.2'), trusted ? 200 : [429, true])
    t.same(
      await signIn('198.51.100.7, 203.0.113.1'),
      [429, true],
      'an entry of the client itself, before the proxy’s entry, is ignored',
    )
  }
})

t.test('the sessions of one visitor in a day are limited to what a browser can begin', async t => {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon))
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  await seedStore(db)
  const send = async (session: number) =>
    (await collect(app, visit('anna', { session: `session-${session}` }))).statusCode
  for (let n = 0; n < sessionsTaken.perDay; n++) t.equal(await send(n), 204)
  t.equal(await send(sessionsTaken.perDay), 204, 'a beacon over the limit is not sent again')
  t.equal(await countOf(db, 'visitor_sessions'), sessionsTaken.perDay)
  t.equal(await send(0), 204)
  t.equal((await collect(app, visit('ben', { session: 'session-x' }))).statusCode, 204)
  t.equal(
    await countOf(db, 'events'),
    sessionsTaken.perDay + 2,
    'known sessions and other visitors still count',
  )

  const now = { at: 0 }
  const mayBegin = visitorLimit(sessionsTaken, () => now.at)
  const begun = () => Array.from({ length: 300 }, (_, n) => mayBegin('a', 'b', `${now.at}.${n}`))
  t.equal(begun().filter(Boolean).length, sessionsTaken.perDay)
  now.at += 86_400_000
  t.equal(
    begun().filter(Boolean).length,
    sessionsTaken.perDay,
    'the next day the count starts again',
  )
})

t.test('one address or one network cannot use up the limit of a shop', async t => {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon), {
    eventsPerAddress: 6_000,
    eventsPerShop: undefined,
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  await seedStore(db)
  await seedStore(db, { shop: secondShop, origin: 'http://localhost:3002' })
  // This plan allows 6,000 events a minute.
  await db.kysely.updateTable('plans').set({ monthly_visitors: 50_000 }).execute()
  let made = 0
  /**
   * Sends from each of these addresses until it is refused; returns how many events were accepted.
   */
  const takenOf = async (
    addresses: string[],
    shop: string,
    over?: { url: string; origin: string },
  ) => {
    let taken = 0
    for (const address of addresses)
      while ((await answerTo(app, address, full(`${made++}`, { shop }), over)) === 204) taken += 50
    return taken
  }
  const ten = Array.from({ length: 10 }, (_, n) => n)
  t.equal(await takenOf(['203.0.113.1'], firstShop), addressShare(6_000))
  t.equal(
    await takenOf(
      ten.map(n => `203.0.113.${n + 2}`),
      firstShop,
    ),
    3_000 - addressShare(6_000),
    'all addresses of one network share half the limit',
  )
  t.equal(await answerTo(app, '198.51.100.7', visit('honest')), 204)
  t.equal(
    await takenOf(
      ten.map(n => `2001:470:1f0b:${n}::7`),
      secondShop,
    ),
    3_000,
    'one customer of a provider has many /64s',
  )
  t.equal(await answerTo(app, '2001:470:1f0c::7', visit('honest', { shop: secondShop })), 204)
  t.equal(
    await answerTo(app, '203.0.113.1', visit('elsewhere', { shop: secondShop })),
    204,
    'each shop has its own limits',
  )
})

t.test('one network cannot use up the limit for requests without an origin', async t => {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon), {
    eventsPerAddress: 6_000,
    eventsPerShop: 10_000,
  })
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  await seedStore(db)
  const asked = { url: `/collect?${shopTokens.of(firstShop)}`, origin: 'null' }
  const taken: number[] = []
  for (const n of [1, 2, 3, 4]) {
    let own = 0
    while ((await answerTo(app, `203.0.113.${n}`, full(`${n}-${own}`), asked)) === 204) own += 50
    taken.push(own)
  }
  t.same(taken, [200, 200, 100, 0], 'a tenth of an address’s share, and of a network’s')
  t.equal(await answerTo(app, '198.51.100.7', visit('honest'), asked), 204)
})

t.test('a 6to4 client counts as one address, whatever its other bits are', t => {
  t.equal(clientOf('2002:cb00:7109:1::1'), clientOf('2002:CB00:7109:ffff::9'))
  t.equal(clientOf(undefined), '', 'the sender has gone already')
  t.not(clientOf('2002:cb00:7109::1'), clientOf('2002:cb00:7110::1'))
  t.end()
})
