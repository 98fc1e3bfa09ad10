import { createHmac } from 'node:crypto'
import t from 'tap'
import { sql } from 'kysely'
import type { Problem } from '../../../domain/problem.ts'
import type { EngineContext } from '../../../engine/context.ts'
import { startJournal } from '../../../engine/journal/journal.ts'
import { uninstallEvents } from '../../../engine/stores/uninstall-events.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { smallPlatforms } from '../support/small-platforms.ts'
import { quietLog } from '../support/quiet-log.ts'
import { appSecret, firstShop as shop, secondShop } from '../support/small-shop.ts'
import { collectingApp, countOf, deliver, noon, order, webhook } from '../support/traffic.ts'

const minute = 60_000

async function shopTakingOrders(t: { teardown: (end: () => Promise<void>) => void }) {
  const db = await freshDb()
  const app = await collectingApp(db, () => new Date(noon))
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  const storeId = await seedStore(db)
  const stored = async () =>
    (
      await sql<{
        order_id: string
        day: string
        visitor_id: string | null
        amount: number
        refunded: number
        is_test: boolean
      }>`
    select order_id, day, visitor_id, amount, refunded, is_test from orders order by order_id`.execute(
        db.kysely,
      )
    ).rows
  return { db, app, storeId, stored }
}

t.test(
  'a delivery that is unsigned, altered or not an order is refused, and nothing of it is stored',
  async t => {
    const { db, app } = await shopTakingOrders(t)
    const good = order('1001', 'visitor-one', noon, '12.34')
    const signed = (body: string) => createHmac('sha256', appSecret).update(body).digest('base64')
    const wrong: [
      what: string,
      status: number,
      body: Parameters<typeof deliver>[1],
      headers?: Record<string, string>,
    ][] = [
      ['unsigned', 401, good, { 'x-demo-hmac-sha256': '' }],
      [
        'signed with another secret',
        401,
        good,
        {
          'x-demo-hmac-sha256': createHmac('sha256', 'another')
            .update(JSON.stringify(good))
            .digest('base64'),
        },
      ],
      [
        'altered after signing',
        401,
        good,
        { 'x-demo-hmac-sha256': signed(JSON.stringify({ ...good, subtotal_price: '1.00' })) },
      ],
      ['without a delivery id', 401, good, { 'x-demo-delivery-id': '' }],
      ['not JSON', 400, '{"id":'],
      ['not an order', 400, '{"hello":"world"}'],
      ['a price that is none', 400, { ...good, subtotal_price: 'twelve' }],
      ['another currency', 400, { ...good, currency: 'EUR' }],
      ['another topic', 400, good, { 'x-demo-topic': 'themes/update' }],
      ['too large', 413, { ...good, line_items: ['x'.repeat(1_100_000)] }],
    ]
    for (const [what, status, body, headers] of wrong) {
      const response = await deliver(app, body, headers)
      t.equal(response.statusCode, status, what)
      t.ok(response.json<Problem>().message, `${what}: has a message`)
    }
    // Somebody installed the app there and has not opened it yet.
    const unopened = await deliver(app, good, { 'x-demo-shop': 'nobody.demo-shop.test' })
    t.equal(unopened.statusCode, 200, 'an unknown shop')
    t.equal(await countOf(db, 'orders'), 0)
    t.equal(await countOf(db, 'webhook_deliveries'), 0)
    t.equal((await deliver(app, good)).statusCode, 200, 'the valid order is accepted')
  },
)

t.test('a late webhook about an earlier uninstall does not change the new install', async t => {
  const { db, storeId } = await shopTakingOrders(t)
  await db.kysely
    .updateTable('stores')
    .set({ installed_at: new Date(noon) })
    .where('store_id', '=', storeId)
    .execute()
  const clock = () => new Date(noon),
    platform = smallPlatforms().all[0]!
  const told = uninstallEvents({
    db,
    clock,
    journal: startJournal({ db, platform, clock }),
    log: quietLog,
  } as unknown as EngineContext).appUninstalled
  await told(
    {
      topic: 'app/uninstalled',
      shop,
      deliveryId: 'late',
      triggeredAt: new Date(noon - minute).toISOString(),
    },
    Buffer.from('{}'),
    platform,
  )
  t.same(
    [
      (
        await db.kysely
          .selectFrom('stores')
          .select('status')
          .where('store_id', '=', storeId)
          .executeTakeFirstOrThrow()
      ).status,
      (await db.kysely.selectFrom('uninstalls').select('store_id').execute()).length,
    ],
    ['installed', 0],
  )
})

t.test(
  'headers of a delivery must match the signed body: an accepted body sent again with other headers changes nothing',
  async t => {
    const { db, app, stored } = await shopTakingOrders(t)
    await seedStore(db, { shop: secondShop })
    const sold = webhook(JSON.stringify(order('1', 'visitor-one', noon, '50.00')))
    const refunded = webhook(
      JSON.stringify(order('1', 'visitor-one', noon, '50.00', { refunded: '20.00' })),
      {
        'x-demo-topic': 'orders/updated',
        'x-demo-triggered-at': new Date(noon + minute).toISOString(),
      },
    )
    const send = async ({ payload, headers }: typeof sold, over: Record<string, string> = {}) => {
      const topic = over['x-demo-topic'] ?? headers['x-demo-topic']!
      return (
        await app.inject({
          method: 'POST',
          url: `/webhooks/demo/${topic.replace('/', '-')}`,
          payload,
          headers: { ...headers, ...over },
        })
      ).statusCode
    }
    t.same([await send(sold), await send(refunded)], [200, 200])
    const before = await stored()
    const altered: [what: string, over: Record<string, string>][] = [
      ['a new id', { 'x-demo-delivery-id': 'new' }],
      ['a later time', { 'x-demo-triggered-at': new Date(noon + 60 * minute).toISOString() }],
      ['another store', { 'x-demo-shop': secondShop }],
      ['another topic', { 'x-demo-topic': 'orders/updated' }],
      [
        'all of them',
        {
          'x-demo-delivery-id': 'newer',
          'x-demo-triggered-at': '9999-01-01T00:00:00Z',
          'x-demo-shop': secondShop,
          'x-demo-topic': 'orders/updated',
        },
      ],
    ]
    for (const [what, over] of altered) t.equal(await send(sold, over), 401, what)
    for (const payload of ['{}', '[]', '1', '{"delivery":null}', '{"delivery":{"id":"a"}}'])
      t.equal(
        await send({
          payload,
          headers: {
            ...sold.headers,
            'x-demo-hmac-sha256': createHmac('sha256', appSecret).update(payload).digest('base64'),
          },
        }),
        401,
        payload,
      )
    t.equal(await send(sold), 200, 'exactly the same delivery again')
    t.same(await stored(), before)
    t.equal(await countOf(db, 'webhook_deliveries'), 2)
  },
)

t.test(
  'an order is stored in minor units, on its day in the shop’s time zone, with its visitor if the id is valid',
  async t => {
    const { app, stored } = await shopTakingOrders(t)
    await deliver(app, order('1', 'visitor-one', Date.parse('2026-11-10T04:59:59Z'), '1234.56'))
    await deliver(app, order('2', '<script>', noon, '0.10', { refunded: '0.05', test: true }))
    await deliver(app, order('3', null, noon, '0.00'))
    t.same(await stored(), [
      {
        order_id: '1',
        day: '2026-11-09',
        visitor_id: 'visitor-one',
        amount: 123_456,
        refunded: 0,
        is_test: false,
      },
      {
        order_id: '2',
        day: '2026-11-10',
        visitor_id: null,
        amount: 10,
        refunded: 5,
        is_test: true,
      },
      {
        order_id: '3',
        day: '2026-11-10',
        visitor_id: null,
        amount: 0,
        refunded: 0,
        is_test: false,
      },
    ])
  },
)

t.test(
  'a repeated delivery changes nothing; a newer one adds the refund, and an older one that arrives late does not undo it',
  async t => {
    const { db, app, storeId, stored } = await shopTakingOrders(t)
    const testId = await seedTest(db, storeId)
    const changes = async () =>
      (
        await sql<{
          n: number
        }>`select orders_changed as n from test_changes where test_id = ${testId}`.execute(
          db.kysely,
        )
      ).rows[0]?.n
    const at = (n: number) => ({ 'x-demo-triggered-at': new Date(noon + n * minute).toISOString() })
    const sold = order('1', 'visitor-one', noon, '50.00'),
      refunded = order('1', 'visitor-one', noon, '50.00', { refunded: '20.00' })
    await deliver(app, sold, { ...at(0), 'x-demo-delivery-id': 'a' })
    t.equal(await changes(), 1, 'the running test is due to be summed up again')
    await deliver(app, sold, { ...at(0), 'x-demo-delivery-id': 'a' })
    await deliver(app, sold, { ...at(0), 'x-demo-delivery-id': 'b' })
    t.equal(await changes(), 1, 'the same delivery again changes nothing')
    await deliver(app, refunded, { ...at(2), 'x-demo-topic': 'orders/updated' })
    await deliver(app, order('1', 'visitor-one', noon, '49.00'), at(1))
    t.same(await stored(), [
      {
        order_id: '1',
        day: '2026-11-10',
        visitor_id: 'visitor-one',
        amount: 5000,
        refunded: 2000,
        is_test: false,
      },
    ])
    t.equal(await changes(), 2)
  },
)

t.test('an order outside a test’s time does not touch the test', async t => {
  const { db, app, storeId } = await shopTakingOrders(t)
  await seedTest(db, storeId, { start_at: new Date(noon + minute) })
  await seedTest(db, storeId, { start_at: new Date(noon - 10 * minute), ended_at: new Date(noon) })
  await deliver(app, order('1', 'visitor-one', noon, '50.00'))
  t.same((await sql`select test_id from test_changes`.execute(db.kysely)).rows, [])
})

t.test('an order has its lines and its type; an older shop sends fewer fields', async t => {
  const { db, app } = await shopTakingOrders(t)
  const line = {
    product_id: 7,
    variant_id: '701',
    title: 'Candle',
    quantity: 2,
    price: '32.40',
    amount: '64.80',
    selling_plan: { id: 1, name: 'Monthly' },
  }
  await deliver(
    app,
    order('1', null, noon, '64.80', {
      name: '#1001',
      order_type: 'renewal',
      line_items: [{ ...line, unit_price: '36.00' }],
    } as object),
  )
  await deliver(
    app,
    order('2', null, noon, '64.80', {
      line_items: [{ ...line, amount: undefined, unit_price: null }],
    } as object),
  )
  const { line_items: _, ...before } = order('3', null, noon, '1.00')
  await deliver(app, JSON.stringify(before))
  const kept = {
    productId: '7',
    variantId: '701',
    title: 'Candle',
    quantity: 2,
    amount: 6480,
    isSubscription: true,
  }
  t.same(
    (await sql`select order_id, name, type, lines from orders order by order_id`.execute(db.kysely))
      .rows,
    [
      { order_id: '1', name: '#1001', type: 'renewal', lines: [{ ...kept, unitPrice: 3600 }] },
      { order_id: '2', name: '#2', type: 'subscription', lines: [kept] },
      { order_id: '3', name: '#3', type: 'oneTime', lines: [] },
    ],
  )
  for (const wrong of [
    { order_type: 'gift' },
    { line_items: [{ ...line, amount: '1.005' }] },
    { line_items: [{ ...line, unit_price: '1.005' }] },
    { line_items: [{ ...line, unit_price: 36 }] },
    { line_items: [{ ...line, quantity: -1 }] },
    { name: '' },
  ])
    t.equal(
      (await deliver(app, order('4', null, noon, '1.00', wrong as object))).statusCode,
      400,
      JSON.stringify(wrong),
    )
})

t.test(
  'a renewal belongs to the visitor of its first order, in whichever order the two arrive',
  async t => {
    const { app, stored } = await shopTakingOrders(t)
    const renewal = (id: string) =>
      order(id, null, noon, '5.00', {
        order_type: 'renewal',
        first_order: { id: 'first', name: '#1' },
      } as object)
    const visitors = async () => (await stored()).map(row => row.visitor_id)
    await deliver(app, renewal('a'))
    t.same(await visitors(), [null], 'no visitor while the first order is unknown')
    await deliver(
      app,
      order('first', 'visitor-one', noon - minute, '5.00', {
        order_type: 'subscription',
      } as object),
    )
    await deliver(app, renewal('b'))
    t.same(await visitors(), ['visitor-one', 'visitor-one', 'visitor-one'])
  },
)
