import { sql } from 'kysely'
import t from 'tap'
import { priceAttribute } from '../../../domain/prices/price-test.ts'
import { launchedFrom } from '../support/launched.ts'
import { meet } from '../support/price-shoppers.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, secondShop } from '../support/small-shop.ts'
import { order, visitorIn, webhook } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const { call, db, now, engine, close } = await startWithShop({}, {}, withTestPrices)
t.teardown(close)
const { id: own } = await call('storeInfo', {})
const other = await seedStore(db, {
  shop: secondShop,
  domain: secondShop,
  store_id: '21111111-1111-4111-8111-111111111111',
})

const hour = 3_600_000
const {
  items: [product],
} = await call('searchProducts', { params: { id: own }, query: { query: '', pageSize: 1 } })
const draft = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
await call('createTestProduct', {
  body: { testDraftId: draft.id, productId: product!.id, rule: { kind: 'percent', value: 10 } },
})
const priceTest = await launchedFrom(db, own, draft.id, {
  start_at: new Date(now.at.getTime() - hour),
})
const redirect = await seedTest(db, own, {
  kind: 'UrlRedirect',
  control_url: '/pages/about',
  redirect_url: '/pages/faq',
  start_at: new Date(now.at.getTime() - hour),
})
const visitor = visitorIn(priceTest, 1, 'of-the-first')

/** All rows of the first store by table, except jobs, which say when its tests are checked next. */
async function everything(): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{
    name: string
  }>`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'store_id' and table_name <> 'jobs' order by 1`.execute(
    db.kysely,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const {
      rows: [row],
    } = await sql<{
      rows: string | null
    }>`select string_agg(r::text, e'\n' order by r::text) as rows from ${sql.table(name)} r where store_id = ${own}`.execute(
      db.kysely,
    )
    if (row!.rows) found[name] = row!.rows
  }
  return found
}

let sent = 0
async function send(shop: string, topic: string, body: object): Promise<number> {
  const at = new Date(now.at.getTime() + ++sent * 1000).toISOString()
  const request = webhook(JSON.stringify(body), {
    'x-demo-topic': topic,
    'x-demo-shop': shop,
    'x-demo-delivery-id': `tenancy-${sent}`,
    'x-demo-triggered-at': at,
  })
  return (
    await engine.app.inject({
      method: 'POST',
      url: `/webhooks/demo/${topic.replaceAll('/', '-')}`,
      ...request,
    })
  ).statusCode
}
const variant = product!.variants[0]!
const sold = (over: object = {}) => {
  const { note_attributes: attributes, ...rest } = order('1001', visitor, now.at.getTime(), '10.00')
  return {
    ...rest,
    note_attributes: [...attributes, { name: priceAttribute, value: `${priceTest},${redirect}` }],
    line_items: [
      {
        product_id: product!.id,
        variant_id: variant.id,
        title: product!.title,
        quantity: 1,
        price: '10.00',
        amount: '10.00',
        unit_price: '10.00',
      },
    ],
    ...over,
  }
}

t.test(
  'webhooks of one shop change nothing of another store, whatever ids of it they name',
  async t => {
    await meet(engine, visitor, { [priceTest]: 1, [redirect]: 0 }, now.at.getTime() - 60_000)
    t.equal(
      await send(firstShop, 'orders/create', sold({ subtotal_price: '25.00', line_items: [] })),
      200,
    )
    await engine.rollUp()
    await engine.runJobs()
    const before = await everything()
    t.ok(
      [
        'orders',
        'tests',
        'test_visitors',
        'test_summaries',
        'test_products',
        'subscriptions',
      ].every(table => before[table]),
      Object.keys(before).join(),
    )
    const {
      rows: [subscription],
    } = await sql<{
      id: string
    }>`select subscription_id as id from subscriptions where store_id = ${own}`.execute(db.kysely)
    const told: [topic: string, body: object][] = [
      ['orders/create', sold()],
      ['orders/updated', sold({ refunded: '10.00' })],
      [
        'orders/create',
        sold({
          id: '1002',
          order_type: 'renewal',
          first_order: { id: '1001' },
          note_attributes: [],
        }),
      ],
      ['products/update', { id: product!.id }],
      ['products/delete', { id: product!.id }],
      ['app_subscriptions/update', { id: subscription!.id, status: 'Cancelled' }],
      ['shop/update', { id: own, shop: firstShop, name: 'Taken' }],
      ['themes/update', { id: 'x' }],
      ['themes/publish', { id: 'x' }],
      ['themes/delete', { id: 'x' }],
      ['app/uninstalled', { shop: firstShop, id: own }],
    ]
    // These start jobs that may run at once and delete the second store's own rows.
    const last: typeof told = [
      ['customers/data_request', { orders_requested: ['1001'] }],
      ['customers/redact', { orders_to_redact: ['1001'] }],
      ['shop/redact', { shop: firstShop, id: own }],
    ]
    const tell = async ([topic, body]: (typeof told)[number]) => {
      const status = await send(secondShop, topic, body)
      t.ok([200, 400, 404, 502].includes(status), `${topic} ${status}`)
      t.same(await everything(), before, topic)
    }
    for (const each of told) await tell(each)
    const orders = async () =>
      (
        await sql<{
          store_id: string
          order_id: string
          visitor_id: string | null
        }>`select store_id, order_id, visitor_id from orders order by 1, 2`.execute(db.kysely)
      ).rows
        .filter(row => row.store_id === other)
        .map(row => row.order_id)
    t.same(await orders(), ['1001', '1002'], 'the orders belong to the second store')
    for (const each of last) await tell(each)
    await engine.rollUp()
    await engine.runJobs()
    t.same(await orders(), [], 'the second store had its own orders erased')
    const after = await everything()
    for (const [table, rows] of Object.entries(before))
      if (table !== 'test_summaries') t.equal(after[table], rows, `${table} after all jobs`)
  },
)
