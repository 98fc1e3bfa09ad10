import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { chargesOf } from '../../../engine/prices/charge-counts.ts'
import { dueTests } from '../../../engine/reports/rollup.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { launchedFrom } from '../support/launched.ts'
import { type PlacedOrder, shopperAt } from '../support/price-shoppers.ts'
import { visitorIn, webhook } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const { engine, shop, shopOrigin, db, now, call, close } = await startWithShop(
  {},
  {},
  withTestPrices,
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const {
  items: [product],
} = await call('searchProducts', { params: { id: storeId }, query: { query: '', pageSize: 40 } })
const testDraftId = (await call('createDraft', { body: { kind: 'Price', title: 'Cheaper' } })).id
await call('createTestProduct', {
  body: { testDraftId, productId: product!.id, rule: { kind: 'percent', value: -15 } },
})
const testId = await launchedFrom(db, storeId, testDraftId, {
  start_at: new Date(now.at.getTime() - 3_600_000),
})

/** Orders at the usual price, although the page showed another: the shop has no price rules. */
async function overcharged(name: string): Promise<PlacedOrder> {
  const shopper = shopperAt(shopOrigin, visitorIn(testId, 1, name))
  await shopper.stamp([testId])
  await shopper.add({ id: Number(product!.variants[0]!.id) })
  return shopper.order()
}
/** Erases the buyer of this order, as the platform asks it. */
async function erase({ id }: PlacedOrder): Promise<void> {
  await engine.app.inject({
    method: 'POST',
    url: '/webhooks/demo/customers-redact',
    ...webhook(JSON.stringify({ orders_to_redact: [id] }), {
      'x-demo-topic': 'customers/redact',
      'x-demo-delivery-id': randomUUID(),
      'x-demo-triggered-at': now.at.toISOString(),
    }),
  })
  await engine.runJobs()
}
/** Waits until so many connections wait for a lock. */
async function waiting(count: number): Promise<void> {
  while (
    (
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db.kysely,
      )
    ).rows.length < count
  );
}
const counts = () => chargesOf(db.kysely, storeId, testId)
const isStored = async ({ id }: PlacedOrder) =>
  (await sql`select from orders where order_id = ${id}`.execute(db.kysely)).rows.length > 0

// PGlite has one connection: nothing comes between the transactions of a check there.
const onPostgres = { skip: Boolean(db.pglite) && 'for Postgres, where an erasure may come between' }

// A rollup that has read the message may store it after the erasure.
t.test('after an erasure, a test whose figures name the order is summed up again', async t => {
  const order = await overcharged('named')
  await shop.delivered()
  now.at = new Date(now.at.getTime() + 1_000)
  await rollUpTest(db, storeId, testId, now.at)
  t.same(await dueTests(db, now.at, false), [])
  await erase(order)
  t.match(await dueTests(db, now.at, false), [{ test_id: testId }])
  await sql`delete from price_checks`.execute(db.kysely)
})

t.test(
  'the check of an order leaves nothing of a buyer who was erased meanwhile',
  onPostgres,
  async t => {
    let order: PlacedOrder
    await db.kysely.transaction().execute(async trx => {
      // The check waits for the tests' products, and the order is stored by then.
      await sql`lock table test_products in access exclusive mode`.execute(trx)
      order = await overcharged('erased-before')
      await waiting(1)
      t.ok(await isStored(order))
      await erase(order)
      t.notOk(await isStored(order))
    })
    await shop.delivered()
    t.same(await db.kysely.selectFrom('price_checks').selectAll().execute(), [])
    t.match(await counts(), { judged: 0, wrong: 0, latest: null })
    await sql`delete from price_checks`.execute(db.kysely)
  },
)

t.test(
  'a hold does not name an order whose buyer is erased at the same moment',
  onPostgres,
  async t => {
    for (const name of ['first', 'second']) await overcharged(name)
    await shop.delivered()
    t.match(await counts(), { judged: 2, wrong: 2 })
    let order: PlacedOrder, erased: Promise<void>
    await db.kysely.transaction().execute(async trx => {
      // The hold waits for the test. An erasure does not, unless the test names the order already.
      await sql`select from tests where test_id = ${testId} for no key update`.execute(trx)
      order = await overcharged('third')
      await waiting(1)
      let isErased = false
      erased = erase(order).then(() => {
        isErased = true
      })
      await Promise.race([erased, waiting(2)])
      t.comment(isErased ? 'erased before the hold' : 'the erasure waits for the hold')
    })
    await shop.delivered()
    await erased!
    t.notOk(await isStored(order!))
    const { rows } = await sql<{ text: string }>`
      select hold_cause::text as text from tests where hold_cause is not null
      union all select detail from test_events where detail is not null
      union all select message from price_checks where message is not null`.execute(db.kysely)
    t.ok(rows.length > 2)
    t.same(
      rows.filter(({ text }) => text.includes(order!.name)),
      [],
    )
  },
)
