import { sql } from 'kysely'
import t from 'tap'
import { withStoreLockAtLast } from '../../../../engine/events/store-lock.ts'
import { erasedOrders } from '../../../../engine/stores/shoppers/erased-orders.ts'
import { unlinkShopper } from '../../../../engine/stores/shoppers/shopper-erasure.ts'
import { rollUpTest } from '../../../../engine/reports/rollup-test.ts'
import { hour } from '../../../../domain/time-units.ts'
import { sessionSecret } from '../../support/small-shop.ts'
import { meet } from '../../support/price-shoppers.ts'
import { seedTest } from '../../support/seeds.ts'
import { deliver, order, visitorIn, webhook } from '../../support/traffic.ts'
import { startWithShop } from '../../support/with-shop.ts'

const { engine, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

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

/** Erases who placed this order, as the job does that another process runs. */
const erase = (id: string) =>
  withStoreLockAtLast(db, storeId, trx =>
    unlinkShopper(
      trx,
      storeId,
      { visitors: [], orders: [id] },
      erasedOrders({ SESSION_SECRET: sessionSecret }),
    ),
  )

// PGlite has one connection: nothing comes between the statements of a transaction.
const onPostgres = { skip: Boolean(db.pglite) && 'for Postgres, where two jobs may run at once' }

t.test(
  'an erasure during an export leaves no export of what it has erased',
  onPostgres,
  async t => {
    const id = 'order-of-anna'
    await deliver(engine.app, order(id, null, now.at.getTime() - 1_000, '20.00'))
    let exported: Promise<void>, erased: Promise<unknown>
    await db.kysely.transaction().execute(async trx => {
      // An export reads it after the orders. An erasure of somebody without visitors does not
      // need it.
      await sql`lock table network_visitors in access exclusive mode`.execute(trx)
      await engine.app.inject({
        method: 'POST',
        url: '/webhooks/demo/customers-data_request',
        ...webhook(JSON.stringify({ orders_requested: [id] }), {
          'x-demo-topic': 'customers/data_request',
        }),
      })
      exported = engine.runJobs()
      await waiting(1)
      erased = erase(id)
      await Promise.race([erased, waiting(2)])
    })
    await Promise.all([exported!, erased!])
    t.match(
      await db.kysely
        .selectFrom('jobs')
        .select('status')
        .where('kind', '=', 'shopperExport')
        .execute(),
      [{ status: 'completed' }],
    )
    t.same(await db.kysely.selectFrom('shopper_exports').select('body').execute(), [])
  },
)

t.test(
  'an erasure while an order is being summed up leaves neither its id nor its visitor',
  onPostgres,
  async t => {
    const id = 'order-of-bert'
    const testId = await seedTest(db, storeId, { start_at: new Date(now.at.getTime() - hour) }),
      visitor = visitorIn(testId, 1, 'bert')
    await rollUpTest(db, storeId, testId, now.at)
    await meet(engine, visitor, { [testId]: 1 }, now.at.getTime() - 10_000)
    await deliver(engine.app, order(id, visitor, now.at.getTime() - 1_000, '30.00'))
    let summed: Promise<void>, erased: Promise<unknown>
    await db.kysely.transaction().execute(async trx => {
      // A rollup reads it after it has summed up the orders. An erasure does not need it.
      await sql`lock table test_arms in access exclusive mode`.execute(trx)
      summed = rollUpTest(db, storeId, testId, now.at)
      await waiting(1)
      erased = erase(id)
      await waiting(2)
    })
    await Promise.all([summed!, erased!])
    const { rows } = await sql<{ order_id: string; visitor_id: string }>`
      select order_id, visitor_id from test_orders where test_id = ${testId} and amount = 3000`.execute(
      db.kysely,
    )
    t.match(rows, [{ order_id: /^erased-/ }])
    t.not(rows[0]!.visitor_id, visitor)
  },
)
