import { sql } from 'kysely'
import t from 'tap'
import { withStoreLockAtLast } from '../../../../engine/events/store-lock.ts'
import { erasedOrders } from '../../../../engine/stores/shoppers/erased-orders.ts'
import { unlinkShopper } from '../../../../engine/stores/shoppers/shopper-erasure.ts'
import { sessionSecret } from '../../support/small-shop.ts'
import { deliver, order, webhook } from '../../support/traffic.ts'
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

t.test(
  'an erasure during an export leaves no export of what it has erased',
  // PGlite has one connection: nothing comes between the statements of an export.
  { skip: Boolean(db.pglite) && 'for Postgres, where two jobs may run at once' },
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
      // As the job does that another process runs.
      erased = withStoreLockAtLast(db, storeId, erasing =>
        unlinkShopper(
          erasing,
          storeId,
          { visitors: [], orders: [id] },
          erasedOrders({ SESSION_SECRET: sessionSecret }),
        ),
      )
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
