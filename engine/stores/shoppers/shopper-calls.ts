import { HttpProblem } from '../../../domain/problem.ts'
import {
  exportKept,
  type ShopperExport,
  type ShopperNamed,
} from '../../../domain/stores/shoppers/shopper.ts'
import type { EngineContext } from '../../context.ts'
import { type ErasedOrders, erasedOrders } from './erased-orders.ts'
import { withStoreLockAtLast } from '../../events/store-lock.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { knownId, notFound, type StaffServe } from '../../http/routes.ts'
import { unlinkShopper } from './shopper-erasure.ts'
import { exportOf, type Shopper } from './shoppers.ts'
import { audit } from '../../staff/people/staff-audit.ts'
import { eraseNow } from './store-erasure.ts'
import { reconciliationKey } from '../../db/installed.ts'
import { type EventHandlers, UnknownShop, type WebhookHandler } from '../../orders/webhooks.ts'
import type { Trx } from '../../db/types.ts'

type Context = Pick<EngineContext, 'db' | 'clock' | 'platform' | 'jobs' | 'log'>

/** Serves the export and the erasure of a shopper for staff, and runs both jobs. */
export function shopperCalls(serve: StaffServe, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
    platform,
    jobs,
  } = context
  jobs.on('shopperErasure', erasing(context, erasedOrders(context.config)))
  jobs.on('shopperExport', exporting(context))

  serve('exportShopper', async ({ params: { id }, body }, staff) => {
    const store = await storeOf(knownId(id, 'store')),
      shopper = await named(store.shop, body)
    const found = await kysely.transaction().execute(trx => exportOf(trx, store, shopper, clock()))
    await audit(kysely, { at: clock(), by: staff.id, act: 'Exported a shopper', about: store.id })
    return found
  })
  serve('eraseShopper', async ({ params: { id }, body }, staff) => {
    const store = await storeOf(knownId(id, 'store')),
      payload = { ...(await named(store.shop, body)), by: 'staff' }
    const jobId = await kysely.transaction().execute(async trx => {
      await audit(trx, { at: clock(), by: staff.id, act: 'Erased a shopper', about: store.id })
      return jobs.add(trx, { storeId: store.id, kind: 'shopperErasure', payload })
    })
    return { jobId }
  })
  serve('shopperExports', async ({ params: { id } }) => {
    const rows = await kysely
      .selectFrom('shopper_exports')
      .select(['export_id', 'asked_at'])
      .where('store_id', '=', knownId(id, 'store'))
      .orderBy('asked_at', 'desc')
      .limit(20)
      .execute()
    return rows.map(({ export_id, asked_at }) => ({
      id: export_id,
      askedAt: asked_at.toISOString(),
      until: new Date(asked_at.getTime() + exportKept).toISOString(),
    }))
  })
  serve('shopperAnswer', async ({ params: { id, exportId } }, staff) => {
    const storeId = knownId(id, 'store')
    const row = await kysely
      .selectFrom('shopper_exports')
      .select('body')
      .where('store_id', '=', storeId)
      .where('export_id', '=', knownId(exportId, 'answer'))
      .executeTakeFirst()
    if (!row) throw notFound('answer')
    await audit(kysely, { at: clock(), by: staff.id, act: 'Exported a shopper', about: storeId })
    return row.body
  })

  async function storeOf(id: string): Promise<{ id: string; shop: string }> {
    const store = await kysely
      .selectFrom('stores')
      .select(['store_id as id', 'shop'])
      .where('store_id', '=', id)
      .executeTakeFirst()
    if (!store) throw notFound('store')
    return store
  }
  async function named(
    shop: string,
    { visitorIds = [], orderIds = [], customer }: ShopperNamed,
  ): Promise<Shopper> {
    const orders = [
      ...orderIds,
      ...(customer === undefined ? [] : await platform.ordersOf(shop, customer)),
    ]
    if (visitorIds.length + orders.length > 0) return { visitors: visitorIds, orders }
    const message =
      customer === undefined
        ? 'Name visitors, orders or the customer.'
        : 'The shop knows no order of this customer.'
    throw new HttpProblem(400, message, [
      { field: customer === undefined ? 'visitorIds' : 'customer', message },
    ])
  }
}

/** Handles what the platform asks about shoppers. We know a customer only by their orders. */
export function shopperEvents({
  db: { kysely },
  jobs,
  log,
}: Context): Pick<EventHandlers, 'customerDataRequest' | 'customerRedact' | 'shopRedact'> {
  const storeOf = (shop: string) =>
    kysely
      .selectFrom('stores')
      .select(['store_id as id', 'status', 'installed_at'])
      .where('shop', '=', shop)
      .executeTakeFirst()
  const about =
    (kind: 'shopperErasure' | 'shopperExport'): WebhookHandler =>
    async (delivery, body, platform) => {
      const { orderIds } = platform.parseShopper(body),
        store = await storeOf(delivery.shop)
      if (!store) throw new UnknownShop()
      // A repetition does no harm: a second erasure finds nothing, and an export shows the present
      // state. The key merges repetitions while the job waits.
      if (orderIds.length > 0)
        await jobs.add(kysely, {
          storeId: store.id,
          kind,
          key: `${kind} ${delivery.deliveryId}`,
          payload: { visitors: [], orders: orderIds, by: 'platform' },
        })
    }
  return {
    customerDataRequest: about('shopperExport'),
    customerRedact: about('shopperErasure'),
    shopRedact: async delivery => {
      const store = await storeOf(delivery.shop)
      if (!store) throw new UnknownShop()
      // The message is about an earlier installation, or we have not heard of the uninstall. The
      // platform knows; if the merchant is back, the data follows the usual retention.
      if (store.status !== 'uninstalled') {
        await jobs.add(kysely, {
          storeId: store.id,
          kind: 'reconciliation',
          key: reconciliationKey,
        })
        return log.info({ storeId: store.id }, 'asked to erase a shop that is installed again')
      }
      await eraseNow({ db: { kysely }, jobs }, store.id)
    },
  }
}

type Payload = Shopper & { by: 'platform' | 'staff' }
const payloadOf = (payload: Record<string, unknown>): Payload => payload as Payload
/** The finished job stays in the list for a while, but must not say who it was about. */
const forget = (trx: Trx, storeId: string, jobId: string) =>
  trx
    .updateTable('jobs')
    .set({ payload: '{}', key: null })
    .where('store_id', '=', storeId)
    .where('job_id', '=', jobId)
    .execute()

function erasing({ db, clock, log }: Context, erased: ErasedOrders): JobHandler {
  return async ({ id, storeId, payload, state, progress, checkpoint, signal }) => {
    if (!state['done']) {
      const { by, ...shopper } = payloadOf(payload),
        now = clock()
      const eraseNamed = async (trx: Trx) => {
        const counts = await unlinkShopper(trx, storeId, shopper, erased)
        await trx
          .insertInto('erasures')
          .values({
            store_id: storeId,
            erasure_id: id,
            kind: 'shopper',
            asked_by: by,
            asked_at: now,
            done_at: now,
            counts: JSON.stringify(counts),
          })
          .execute()
        await forget(trx, storeId, id)
        await checkpoint({ done: true }, trx)
        return counts
      }
      const counts = await withStoreLockAtLast(db, storeId, eraseNamed, signal)
      log.info({ storeId, by, counts }, 'a shopper was erased')
    }
    await progress(1, 'A shopper was erased')
  }
}

function exporting({ db, clock, log }: Context): JobHandler {
  return async ({ id, storeId, payload, state, progress, checkpoint, signal }) => {
    if (!state['done']) {
      const { visitors, orders } = payloadOf(payload),
        now = clock()
      const exportNamed = async (trx: Trx) => {
        const { shop } = await trx
          .selectFrom('stores')
          .select('shop')
          .where('store_id', '=', storeId)
          .executeTakeFirstOrThrow()
        const body: ShopperExport = await exportOf(
          trx,
          { id: storeId, shop },
          { visitors, orders },
          now,
        )
        await trx
          .insertInto('shopper_exports')
          .values({ store_id: storeId, export_id: id, asked_at: now, body: JSON.stringify(body) })
          .execute()
        await forget(trx, storeId, id)
        await checkpoint({ done: true }, trx)
      }
      // With the lock, an erasure comes before the export, or finds what the export has stored.
      await withStoreLockAtLast(db, storeId, exportNamed, signal)
      log.info({ storeId }, 'a shopper’s data is ready to be handed over')
    }
    await progress(1, 'A shopper’s data is ready to be handed over')
  }
}
