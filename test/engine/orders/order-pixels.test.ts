import t, { type Test } from 'tap'
import { sql } from 'kysely'
import { assign } from '../../../domain/tests/assignment.ts'
import type { PixelMessage } from '../../../domain/orders/pixel.ts'
import { maxWaitingPixels, pixelWait } from '../../../domain/orders/order-visitor.ts'
import { forgetPixels } from '../../../engine/orders/order-pixels.ts'
import {
  pixelCollector,
  type PixelCollectorOptions,
} from '../../../engine/orders/pixel-collector.ts'
import { problems } from '../../../engine/http/problems.ts'
import { validate } from '../../../engine/http/validation.ts'
import { orderEvents } from '../../../engine/orders/orders.ts'
import { webhooks } from '../../../engine/orders/webhooks.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { ledgerOrders } from '../../../engine/tests/test-orders.ts'
import { collector } from '../../../engine/events/collector.ts'
import Fastify from 'fastify'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { smallPlatforms } from '../support/small-platforms.ts'
import { firstShop as shop, secondShop } from '../support/small-shop.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  noon,
  order,
  shopTokens,
  visitorIn,
} from '../support/traffic.ts'

t.setTimeout(120_000)
const minute = 60_000
const erasedNone = { note: async () => {}, has: async () => false }

/** A store with a running test, and the routes that shops call. */
async function checkout(t: Test, limits: Partial<PixelCollectorOptions> = {}) {
  const db = await freshDb(),
    now = { at: noon },
    clock = () => new Date(now.at)
  const app = Fastify()
  app.setValidatorCompiler(validate)
  problems(app)
  app.register(collector, {
    db,
    clock,
    tokens: shopTokens,
    perAddress: 1_000,
    eventsPerAddress: 1_000,
  })
  const checked: string[] = []
  const check: PixelCollectorOptions['check'] = async (_, { id }) => void checked.push(id)
  app.register(pixelCollector, {
    db,
    clock,
    tokens: shopTokens,
    check,
    erased: erasedNone,
    perAddress: 1_000,
    ...limits,
  })
  app.register(webhooks, { platforms: smallPlatforms().all, handlers: orderEvents({ db, clock }) })
  await app.ready()
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  const storeId = await seedStore(db),
    testId = await seedTest(db, storeId)
  const message = (over: Partial<PixelMessage> = {}): PixelMessage => ({
    v: 1,
    shop,
    visitor: 'visitor-pixel',
    order: 'order-1',
    consent: true,
    tests: {},
    ...over,
  })
  const tell = (
    body: object,
    { token = shopTokens.ofPixel(shop), origin = 'null' as string | null } = {},
  ) =>
    app.inject({
      method: 'POST',
      url: `/collect/order?${token}`,
      headers: {
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': browser,
        ...(origin !== null && { origin }),
      },
      payload: JSON.stringify(body),
    })
  const known = async (id = 'order-1') =>
    (
      await sql<{ visitor: string | null; byPixel: boolean; lost: string | null }>`
      select visitor_id as visitor, by_pixel as "byPixel", visitor_lost as lost from orders where order_id = ${id}`.execute(
        db.kysely,
      )
    ).rows[0]
  const waiting = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from order_pixels`.execute(db.kysely))
      .rows[0]!.n
  const express = (id: string, at = noon, over: object = {}) =>
    ({ ...order(id, null, at, '34.00'), express_checkout: true, ...over }) as ReturnType<
      typeof order
    >
  const meets = (visitor: string) =>
    collect(
      app,
      beacon(
        visitor,
        { [testId]: [assign(testId, visitor, [0.5, 0.5]), 7] },
        [event('exposure', noon - minute, [testId]), event('view', noon - minute)],
        { sent: noon },
      ),
    )
  const ledger = async () => {
    await rollUpTest(db, storeId, testId, clock())
    return ledgerOrders(db, storeId, testId, {})
  }
  return {
    db,
    app,
    storeId,
    testId,
    now,
    checked,
    message,
    tell,
    known,
    waiting,
    express,
    meets,
    ledger,
  }
}

t.test('the pixel names the visitor of an express order, in either order of arrival', async t => {
  const { tell, message, known, express, app, waiting, checked } = await checkout(t)
  await deliver(app, express('order-1'))
  t.same(await known(), { visitor: null, byPixel: false, lost: 'express' })
  t.equal((await tell(message())).statusCode, 204)
  t.same(await known(), { visitor: 'visitor-pixel', byPixel: true, lost: 'express' })
  t.same(checked, ['order-1'], 'its prices are checked again')

  t.equal((await tell(message({ order: 'order-2' }))).statusCode, 204)
  t.equal(await waiting(), 1)
  await deliver(app, express('order-2'))
  t.same(await known('order-2'), { visitor: 'visitor-pixel', byPixel: true, lost: 'express' })
  t.equal(await waiting(), 0)
})

t.test('the cart’s attribute wins, whatever comes first', async t => {
  const { tell, message, known, express, app, waiting } = await checkout(t)
  await deliver(app, order('order-1', 'visitor-cart', noon, '34.00'))
  await tell(message())
  t.match(await known(), { visitor: 'visitor-cart', byPixel: false, lost: null })
  await tell(message({ order: 'order-2' }))
  await deliver(app, order('order-2', 'visitor-cart', noon, '34.00'))
  t.match(await known('order-2'), { visitor: 'visitor-cart', byPixel: false, lost: null })
  t.equal(await waiting(), 0, 'the message is used up')
  await deliver(app, express('order-3'))
  await tell(message({ order: 'order-3' }))
  await deliver(app, order('order-3', 'visitor-cart', noon, '34.00'), {
    'x-demo-topic': 'orders/updated',
    'x-demo-triggered-at': new Date(noon + 1_000).toISOString(),
  })
  t.match(await known('order-3'), { visitor: 'visitor-cart', byPixel: false })
})

t.test('a refund leaves the order to the visitor that the pixel named', async t => {
  const { tell, message, meets, express, app, testId, ledger } = await checkout(t)
  const visitor = visitorIn(testId, 1, 'buyer')
  await meets(visitor)
  await deliver(app, express('order-1'))
  // The pixel names the other arm; what the server knows of the visitor decides.
  await tell(message({ visitor, tests: { [testId]: 0 } }))
  await deliver(app, express('order-1', noon, { refunded: '10.00' }), {
    'x-demo-topic': 'orders/updated',
    'x-demo-triggered-at': new Date(noon + 1_000).toISOString(),
  })
  t.match((await ledger()).rows, [
    { id: 'order-1', arm: 1, reason: null, way: 'pixel', lost: null, refunded: 1000 },
  ])
})

t.test(
  'the same message again changes nothing; two that differ make the visitor unknown',
  async t => {
    const { tell, message, known, express, app, db, meets, testId, ledger } = await checkout(t)
    const visitor = visitorIn(testId, 0, 'twice')
    await meets(visitor)
    const changes = async () =>
      (
        await sql<{ n: number }>`select sum(orders_changed)::int as n from test_changes`.execute(
          db.kysely,
        )
      ).rows[0]!.n
    await deliver(app, express('order-1'))
    await tell(message({ visitor }))
    const before = await changes()
    t.equal((await tell(message({ visitor }))).statusCode, 204)
    t.equal(await changes(), before)
    t.match((await ledger()).rows, [{ arm: 0, way: 'pixel' }])
    await tell(message({ visitor: 'visitor-forged' }))
    t.match(await known(), { visitor: null, byPixel: false })
    await tell(message({ visitor }))
    t.match((await ledger()).rows, [
      { arm: null, reason: 'expressCheckout', way: 'none', lost: 'disputed' },
    ])

    await tell(message({ order: 'order-2', visitor }))
    await tell(message({ order: 'order-2', visitor: 'visitor-forged' }))
    await deliver(app, express('order-2'))
    t.match(await known('order-2'), { visitor: null, byPixel: false })
  },
)

t.test('a forged message is refused, and nothing of it is stored', async t => {
  const { tell, message, waiting, db } = await checkout(t)
  await seedStore(db, { shop: secondShop, domain: secondShop, origin: 'http://localhost:3003' })
  const mine = shopTokens.ofPixel(shop)
  for (const [what, status, body, how] of [
    ['without a token', 403, message(), { token: '' }],
    ['with the script’s token', 403, message(), { token: shopTokens.of(shop) }],
    ['with another shop’s token', 403, message(), { token: shopTokens.ofPixel(secondShop) }],
    ['for another shop', 403, message({ shop: secondShop }), { token: mine }],
    ['for no shop', 404, message({ shop: 'nowhere.demo-shop.test' }), {}],
    ['from another site', 403, message(), { origin: 'https://elsewhere.example' }],
    ['without consent', 400, { ...message(), consent: false }, {}],
    ['with an unknown field', 400, { ...message(), email: 'a@b.c' }, {}],
    ['with a visitor of another form', 400, message({ visitor: 'a b c d e f' }), {}],
    ['with a visitor of an import', 400, message({ visitor: 'import-1-abcdefgh' }), {}],
    ['with an order of another form', 400, message({ order: 'a\nb' }), {}],
  ] as const)
    t.equal((await tell(body, how)).statusCode, status, what)
  t.equal(await waiting(), 0)
  t.equal((await tell(message(), { origin: null })).statusCode, 204, 'no origin at all')
  t.equal(
    (await tell(message({ order: 'order-2' }), { origin: 'http://localhost:3002' })).statusCode,
    204,
  )
})

t.test(
  'a store that has left takes no message; another store’s order of that id is not touched',
  async t => {
    const { tell, message, known, express, app, db, storeId, waiting } = await checkout(t)
    await seedStore(db, { shop: secondShop, domain: secondShop, origin: 'http://localhost:3003' })
    await deliver(app, express('order-1'))
    const other = { token: shopTokens.ofPixel(secondShop) }
    t.equal((await tell(message({ shop: secondShop }), other)).statusCode, 204)
    t.match(await known(), { visitor: null })
    t.equal(await waiting(), 1, 'it waits for an order of its own shop')
    await db.kysely
      .updateTable('stores')
      .set({ status: 'uninstalled' })
      .where('store_id', '=', storeId)
      .execute()
    t.equal((await tell(message())).statusCode, 404)
    t.match(await known(), { visitor: null })
  },
)

t.test(
  'a message and its order lie at most 48 hours apart, and so long a message waits',
  async t => {
    const { tell, message, known, express, app, now, db, waiting } = await checkout(t)
    await deliver(app, express('order-1', noon - pixelWait - 1))
    await tell(message())
    t.match(await known(), { visitor: null }, 'nobody names the visitor of an old order')
    await tell(message({ order: 'order-2' }))
    now.at = noon + pixelWait
    await forgetPixels(db.kysely, new Date(now.at))
    t.equal(await waiting(), 1)
    now.at++
    await forgetPixels(db.kysely, new Date(now.at))
    t.equal(await waiting(), 0)
    await tell(message({ order: 'order-3' }))
    await deliver(app, express('order-3', now.at - pixelWait - 1))
    t.match(await known('order-3'), { visitor: null })
  },
)

t.test('few messages a minute are taken from one address and for one shop', async t => {
  const address = await checkout(t, { perAddress: 2 })
  const shopWide = await checkout(t, { perShop: 2 })
  for (const { tell, message } of [address, shopWide]) {
    const answers = []
    for (const n of [1, 2, 3])
      answers.push((await tell(message({ order: `order-${n}` }))).statusCode)
    t.same(answers, [204, 204, 429])
  }
})

t.test('messages about orders that never come keep out no buyer’s message', async t => {
  const { tell, message, known, express, app, db, storeId, waiting } = await checkout(t)
  await sql`insert into order_pixels (store_id, of_order, visitor_id, received_at)
    select ${storeId}, 'none-' || n, 'visitor-forged', ${new Date(noon - minute)}::timestamptz + n * interval '1 millisecond'
    from generate_series(1, ${maxWaitingPixels}::int) n`.execute(db.kysely)
  t.equal((await tell(message())).statusCode, 204)
  t.equal(await waiting(), maxWaitingPixels, 'the oldest one makes room')
  const { rows } = await sql`select 1 from order_pixels where of_order = 'none-1'`.execute(
    db.kysely,
  )
  t.same(rows, [])
  await deliver(app, express('order-1'))
  t.match(await known(), { visitor: 'visitor-pixel', byPixel: true })
})

t.test('figures that are made again from what is stored are the same', async t => {
  const { tell, message, meets, express, app, testId, ledger, db, storeId } = await checkout(t)
  const visitors = ['a', 'b', 'c'].map((name, i) => visitorIn(testId, (i % 2) as 0 | 1, name))
  for (const visitor of visitors) await meets(visitor)
  for (const [i, visitor] of visitors.entries()) {
    if (i === 1) await tell(message({ order: `order-${i}`, visitor }))
    await deliver(app, express(`order-${i}`))
    if (i === 0) await tell(message({ order: `order-${i}`, visitor }))
  }
  await deliver(app, {
    ...order('order-9', null, noon, '5.00'),
    note_attributes: [
      { name: '_ts_tests', value: 'x' },
      { name: '_ts_visitor', value: '?' },
    ],
  })
  const before = await ledger()
  t.same(before.rows.map(({ id, reason, way, lost }) => [id, reason, way, lost]).sort(), [
    ['order-0', null, 'pixel', null],
    ['order-1', null, 'pixel', null],
    ['order-2', 'expressCheckout', 'none', 'express'],
    ['order-9', 'attributeCleared', 'none', 'cleared'],
  ])
  await rebuild(db, shop)
  await sql`update test_changes set changed = changed + 1, orders_changed = orders_changed + 1 where store_id = ${storeId}`.execute(
    db.kysely,
  )
  t.same(await ledger(), before)
})
