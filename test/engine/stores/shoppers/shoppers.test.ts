import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { assign } from '../../../../domain/tests/assignment.ts'
import { wholeTable } from '../../../../domain/stores/shoppers/kept-tables.ts'
import {
  maxExportedEvents,
  type ShopperExport,
} from '../../../../domain/stores/shoppers/shopper.ts'
import { resealAll } from '../../../../engine/session/reseal.ts'
import { erasedOrders } from '../../../../engine/stores/shoppers/erased-orders.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { unlinkShopper } from '../../../../engine/stores/shoppers/shopper-erasure.ts'
import { rebuild } from '../../../../engine/events/rebuild.ts'
import { seedTest } from '../../support/seeds.ts'
import { accessToken } from '../../../../demo-shop/shoppers/shop-files.ts'
import { appKey, appSecret, firstShop } from '../../support/small-shop.ts'
import { startPanel } from '../../support/staff-panel.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  deliver,
  event,
  order,
  visitorIn,
  webhook,
} from '../../support/traffic.ts'

const logged: string[] = []
const {
  own: { engine, shop, shopOrigin, db, now, call },
  staff,
  refusal,
  close,
} = await startPanel({ log: pino({ level: 'info' }, { write: line => void logged.push(line) }) })
t.teardown(close)
const { app } = engine
const { id: store } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', store)
  .execute()
const at = now.at.getTime(),
  hour = 3_600_000
const tests = [
  await seedTest(db, store, { start_at: new Date(at - hour) }),
  await seedTest(db, store, { start_at: new Date(at - hour) }),
] as const
const sent = (body: object) => ({ ...body, sent: at })

const answerOf = (exportId: string) => staff('shopperAnswer', { params: { id: store, exportId } })

/** Names of the tables that contain this text in any column. */
async function holding(text: string): Promise<string[]> {
  const found = new Set<string>()
  const { rows } = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(
    db.kysely,
  )
  for (const { name } of rows)
    if (
      (
        await sql`select from ${sql.table(name)} t where strpos(t::text, ${text}) > 0 limit 1`.execute(
          db.kysely,
        )
      ).rows.length > 0
    )
      found.add(wholeTable(name))
  return [...found].sort()
}
async function shopper(name: string, arm: 0 | 1): Promise<{ visitor: string; order: string }> {
  const visitor = visitorIn(tests[0], arm, name),
    claims = { [tests[0]]: [arm, 7] as [0 | 1, number] }
  const events = [
    event('exposure', at - 60_000, [tests[0]]),
    { ...event('view', at - 60_000), path: `/account/${name}`, product: '7' },
    { ...event('cart', at - 40_000), product: '7' },
  ]
  const { statusCode } = await collect(
    app,
    sent(
      beacon(visitor, claims, events, {
        landing: `/account/${name}`,
        referrer: `https://mail.test/${name}`,
      }),
    ),
  )
  if (statusCode !== 204) throw new Error(String(statusCode))
  await deliver(
    app,
    JSON.stringify({
      ...order(`order-of-${name}`, visitor, at - 1_000, '20.00'),
      name: `🛒of-${name}`,
    }),
  )
  return { visitor, order: `order-of-${name}` }
}
const tell = async (topic: string, body: object) =>
  (
    await app.inject({
      method: 'POST',
      url: `/webhooks/demo/${topic.replace('/', '-')}`,
      ...webhook(JSON.stringify(body), {
        'x-demo-topic': topic,
        'x-demo-delivery-id': randomUUID(),
        'x-demo-triggered-at': now.at.toISOString(),
      }),
    })
  ).statusCode

t.test(
  'an export has everything about a shopper, found by visitor, by order or by the platform’s request',
  async t => {
    const anna = await shopper('anna', 1)
    await shopper('bert', 0)
    const byVisitor = await staff('exportShopper', {
      params: { id: store },
      body: { visitorIds: [anna.visitor] },
    })
    t.match(byVisitor, {
      shop: firstShop,
      visitors: [anna.visitor],
      orders: [anna.order],
      tables: {
        orders: [{ order_id: anna.order, amount: 2000 }],
        test_visitors: [{ test_id: tests[0], arm: 1 }],
        visitor_sessions: [{ views: 1 }],
      },
    })
    t.equal(byVisitor.tables['events']!.length, 3)
    t.notMatch(JSON.stringify(byVisitor), /bert/)
    t.same(
      {
        ...(await staff('exportShopper', {
          params: { id: store },
          body: { orderIds: [anna.order] },
        })),
        asOf: '',
      },
      { ...byVisitor, asOf: '' },
    )
    t.equal(
      (await refusal(staff('exportShopper', { params: { id: store }, body: {} }))).status,
      400,
    )
    t.equal(
      (
        await refusal(
          staff('exportShopper', { params: { id: store }, body: { customer: 'nobody@shop.test' } }),
        )
      ).status,
      400,
    )

    t.equal(
      await tell('customers/data_request', {
        customer: { email: 'anna@shop.test' },
        orders_requested: [anna.order],
      }),
      200,
    )
    await engine.runJobs()
    const [listed] = await staff('shopperExports', { params: { id: store } })
    t.same(
      Object.keys(listed!),
      ['id', 'askedAt', 'until'],
      'each answer is fetched by its own call',
    )
    const answer: ShopperExport = await answerOf(listed!.id)
    t.same({ ...answer, asOf: '' }, { ...byVisitor, asOf: '' })
    for (const other of [
      { id: store, exportId: store },
      { id: listed!.id, exportId: listed!.id },
    ])
      t.equal((await refusal(staff('shopperAnswer', { params: other }))).status, 404)
    t.same(await holding('anna@shop.test'), [], 'the customer’s address is not stored')
  },
)

t.test('erasing one shopper keeps the exports of others', async t => {
  // A browser can choose its own id. This one is the name of a column, which every export contains.
  await deliver(app, order('order-of-cara', 'order_id', at, '20.00'))
  t.equal(
    await tell('customers/redact', {
      customer: { email: 'cara@shop.test' },
      orders_to_redact: ['order-of-cara'],
    }),
    200,
  )
  await engine.runJobs()
  t.equal((await staff('shopperExports', { params: { id: store } })).length, 1)
  await db.kysely.deleteFrom('erasures').execute()
})

t.test(
  'an export of a shopper with very many events has the newest, and counts the rest',
  async t => {
    const own = sql`from events where store_id = ${store} and visitor_id = 'busy-visitor'`
    await sql`insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims)
    select ${store}::uuid, ('2026-10-0' || (1 + n % 2))::date, 'busy-' || n, '2026-10-01'::timestamptz + n % 2 * interval '1 day' + n * interval '1 second', 1, 0, 0, false, true, 'busy-visitor', 'busy-session', '/', '{}'
    from generate_series(1, ${maxExportedEvents + 50}) n`.execute(db.kysely)
    const { olderEvents, tables } = await staff('exportShopper', {
      params: { id: store },
      body: { visitorIds: ['busy-visitor'] },
    })
    t.equal(olderEvents, 50)
    t.equal(tables['events']!.length, maxExportedEvents)
    await sql`delete ${own}`.execute(db.kysely)
  },
)

t.test(
  'an erased shopper is in no table, the figures stay, and later data does not bring the shopper back',
  async t => {
    const visitor = visitorIn(tests[0], 1, 'anna'),
      id = 'order-of-anna'
    await sql`insert into price_checks values (${store}, ${tests[0]}, ${id}, ${now.at}, false, 'other', 'Order 🛒of-anna was charged 3.00')`.execute(
      db.kysely,
    )
    await db.kysely
      .updateTable('tests')
      .set({
        hold_cause: JSON.stringify({
          cause: 'chargeMismatch',
          message: 'Order 🛒of-anna was charged 3.00',
          remedy: '',
        }),
      })
      .where('test_id', '=', tests[0])
      .execute()
    await engine.rollUp()
    const without = async () => {
      const {
        visitors: _,
        sessions: __,
        products: ___,
        ...figures
      } = (await aggregatesOf(db)) as Record<string, unknown>
      const {
        summary: { updatedAt: ____, ...summary },
        days,
        order_figures,
      } = await db.kysely
        .selectFrom('test_summaries')
        .select(['summary', 'days', 'order_figures'])
        .where('test_id', '=', tests[0])
        .executeTakeFirstOrThrow()
      return { figures, summary, days, order_figures }
    }
    await sql`update test_summaries set summary = jsonb_set(summary, '{charges}', '{"judged": 1, "wrong": 1, "unmarked": 0, "latest": "Order 🛒of-anna was charged 3.00"}') where test_id = ${tests[1]}`.execute(
      db.kysely,
    )
    const before = await without()
    const rows = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from events`.execute(db.kysely)).rows[0]!
        .n
    const events = await rows()
    logged.length = 0
    t.equal(
      await tell('customers/redact', {
        customer: { email: 'anna@shop.test' },
        orders_to_redact: [id],
      }),
      200,
    )
    await engine.runJobs()
    for (const text of [
      visitor,
      `session-${visitor}`,
      id,
      '🛒of-anna',
      '/account/anna',
      'mail.test/anna',
    ])
      t.same(await holding(text), [], text)
    t.ok((await holding('bert')).includes('test_visitors'), 'other shoppers are not touched')
    t.notMatch(logged.join(''), /anna/)
    t.match(logged.join(''), /a shopper was erased/)
    t.match(await db.kysely.selectFrom('erasures').selectAll().execute(), [
      {
        kind: 'shopper',
        asked_by: 'platform',
        counts: { events: 3, test_visitors: 1, orders: 1, visitor_sessions: 1 },
      },
    ])

    t.equal(await rows(), events)
    await rebuild(db, firstShop)
    await sql`update test_changes set orders_changed = orders_changed + 1`.execute(db.kysely)
    await engine.rollUp()
    t.same(await without(), before, 'a rebuild from the remaining data gives the same figures')
    await add(db.kysely, { storeId: store, kind: 'rollupRepair' }, now.at)
    await engine.runJobs()
    t.match(
      await db.kysely
        .selectFrom('jobs')
        .select('message')
        .where('kind', '=', 'rollupRepair')
        .executeTakeFirst(),
      { message: 'All figures match the events' },
    )

    await deliver(
      app,
      JSON.stringify({
        ...order(id, visitor, at - 1_000, '20.00'),
        name: '🛒of-anna',
        refunded: '20.00',
      }),
      {
        'x-demo-topic': 'orders/updated',
        'x-demo-triggered-at': new Date(at + hour).toISOString(),
      },
    )
    t.same(await holding(id), [])
    t.match(
      await staff('exportShopper', { params: { id: store }, body: { visitorIds: [visitor] } }),
      { tables: {} },
    )
    t.same(
      await staff('shopperExports', { params: { id: store } }),
      [],
      'an export that was not fetched is deleted too',
    )
  },
)

t.test('a shopper with many tests is erased too, and keeps the arms of running tests', async t => {
  const ended = [],
    running = []
  for (let i = 0; i < 40; i++)
    ended.push(
      await seedTest(db, store, {
        status: 'Ended',
        start_at: new Date(at - 3 * hour),
        ended_at: new Date(at - 2 * hour + i * 1_000),
        weights: '[0.05,0.95]',
      }),
    )
  for (let i = 0; i < 4; i++)
    running.push(await seedTest(db, store, { start_at: new Date(at - hour) }))
  const visitor = visitorIn(tests[0], 1, 'carl')
  for (const test of [...ended, ...running])
    await sql`insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot) values (${store}, ${test}, ${visitor}, ${assign(test, visitor, [0.5, 0.5])}, 0, 0, false)`.execute(
      db.kysely,
    )
  // No search could find a new id that has the same arms in all these tests. This checks that the
  // erasure ends.
  await db.kysely
    .transaction()
    .execute(trx =>
      unlinkShopper(trx, store, { visitors: [visitor], orders: [] }, { note: async () => {} }),
    )
  t.same(await holding(visitor), [])
  const fresh = (
    await sql<{
      visitor_id: string
    }>`select visitor_id from test_visitors where test_id = ${running[0]}`.execute(db.kysely)
  ).rows[0]!.visitor_id
  for (const test of running)
    t.equal(assign(test, fresh, [0.5, 0.5]), assign(test, visitor, [0.5, 0.5]))
})

t.test('the shop’s admin can request a customer’s data, and so can staff', async t => {
  const {
    items: [product],
  } = await call('searchProducts', { params: { id: store }, query: { query: '', pageSize: 1 } })
  const cleo = visitorIn(tests[0], 0, 'cleo')
  const added = await shop.app.inject({
    method: 'POST',
    url: '/cart/add.js',
    payload: {
      items: [{ id: Number(product!.variants[0]!.id) }],
      attributes: { _ts_visitor: cleo },
    },
  })
  const cookies = Object.fromEntries(added.cookies.map(({ name, value }) => [name, value]))
  const email = 'cleo@shop.test'
  await shop.app.inject({
    method: 'POST',
    url: '/checkout',
    cookies,
    payload: { email, name: 'Cleo', address: 'A', city: 'B', postcode: '1', country: 'US' },
  })
  await shop.delivered()
  t.same(await holding(cleo), ['orders'])
  t.match(await staff('exportShopper', { params: { id: store }, body: { customer: email } }), {
    visitors: [cleo],
  })
  const [{ name }] = (
    await shop.app.inject({
      url: `/admin/api/orders.json?customer=${email}`,
      headers: {
        authorization: `Bearer ${await accessToken(shopOrigin, { appKey, appSecret })}`,
      },
    })
  ).json<[{ name: string }]>()
  await shop.app.inject({
    method: 'POST',
    url: `/admin/orders/${name.slice(1)}/customer`,
    payload: 'ask=data',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await shop.delivered()
  await engine.runJobs()
  const answers = await staff('shopperExports', { params: { id: store } })
  t.equal(answers.length, 1)
  t.match(await answerOf(answers[0]!.id), { visitors: [cleo] })
  const { jobId } = await staff('eraseShopper', {
    params: { id: store },
    body: { customer: email },
  })
  await engine.runJobs()
  t.match(
    await db.kysely.selectFrom('jobs').selectAll().where('job_id', '=', jobId).executeTakeFirst(),
    { status: 'completed', payload: {} },
  )
  t.same(await holding(cleo), [])
})

t.test(
  'shop/redact erases an uninstalled shop at once, and does not touch an installed one',
  async t => {
    t.equal(await tell('shop/redact', {}), 200)
    await engine.runJobs()
    t.ok((await holding('bert')).includes('events'))
    await tell('app/uninstalled', {})
    t.equal(await tell('shop/redact', {}), 200)
    await engine.runJobs()
    t.same(await holding('bert'), [])
  },
)

t.test('an order stays erased when the secret of that time is removed', async t => {
  const [older, newer] = ['a'.repeat(40), 'b'.repeat(40)]
  const on = (...secrets: string[]) => erasedOrders({ SECRETS: secrets.join(' ') })
  const within = <T>(work: (trx: Parameters<ReturnType<typeof on>['has']>[0]) => Promise<T>) =>
    db.kysely.transaction().execute(work)
  await db.kysely.updateTable('stores').set({ erasure_key: null }).execute()
  await within(trx => on(older).note(trx, store, 'of-dora'))
  const has = (...secrets: string[]) => within(trx => on(...secrets).has(trx, store, 'of-dora'))
  t.same([await has(older), await has(newer, older), await has(newer)], [true, true, false])
  await resealAll(db, [newer, older])
  t.same([await has(newer), await has(older)], [true, false])
  await resealAll(db, [newer])
  t.equal(await has(newer), true)
  t.equal(await within(trx => on(newer).has(trx, store, 'of-emil')), false)
})
