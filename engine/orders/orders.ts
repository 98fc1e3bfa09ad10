import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { ErasedOrders } from '../stores/shoppers/erased-orders.ts'
import { eventStores } from '../events/event-stores.ts'
import type { CollectingStore } from '../events/event-stores.ts'
import { lostWhy, visitorOf } from '../../domain/orders/order-visitor.ts'
import { withStoreLock } from '../events/store-lock.ts'
import { liftByOrder } from '../events/networks/network-decisions.ts'
import type { PlatformOrder, WebhookDelivery } from '../platform/adapter.ts'
import { zoneNow } from '../events/time-zone.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import { giveRenewals, markTestsOfOrder } from './order-changes.ts'
import { takePixel } from './order-pixels.ts'
import {
  isFirstDelivery,
  UnknownShop,
  type EventHandlers,
  type WebhookHandler,
} from './webhooks.ts'

/**
 * The handlers of everything that happens to orders. Orders come only from the platform, never from
 * the browser. Every delivery has the whole order, so all events are handled alike: the newest
 * counts. `check` runs after the order is stored and must not throw, because the platform would
 * send the order again.
 */
export function orderEvents(
  { db, clock }: { db: Db; clock: () => Date },
  check: OrderCheck = () => Promise.resolve(),
  erased?: ErasedOrders,
): Pick<EventHandlers, OrderEvent> {
  const stores = eventStores(db, clock)
  const take: WebhookHandler = async (delivery, body, platform) => {
    const store = (await stores.byShop(delivery.shop)) ?? (await justInstalled(delivery.shop))
    // Nothing counts after the uninstall, so the platform need not send it again.
    if (!store) return
    // Asks some platforms for the order, which only a store may.
    const order = await platform.parseOrder(body, delivery)
    if (order.currency !== store.currency)
      throw new HttpProblem(
        400,
        `The order is in ${order.currency}, the shop in ${store.currency}.`,
        [{ field: 'currency', message: 'Must be the shop’s own currency.' }],
      )
    if (!(await storeOrder(db, store, order, delivery, clock(), erased))) return
    // Checks again on a repeated delivery: the first check may have been interrupted.
    await check(store, order)
  }
  /** Null after the uninstall. Throws UnknownShop when there is no store at all. */
  const justInstalled = async (shop: string): Promise<CollectingStore | null> => {
    const row = await db.kysely
      .selectFrom('stores')
      .select('status')
      .where('shop', '=', shop)
      .executeTakeFirst()
    if (!row) throw new UnknownShop()
    return row.status === 'installed' ? stores.fresh(shop, performance.now()) : null
  }
  return { ordersCreated: take, ordersUpdated: take, ordersCancelled: take, ordersRefunded: take }
}
type OrderEvent = 'ordersCreated' | 'ordersUpdated' | 'ordersCancelled' | 'ordersRefunded'

/**
 * Stores an order as its newest delivery describes it. An older delivery that arrives late, or the
 * same one again, changes nothing. Returns false if the order's buyer was erased: then no delivery
 * stores it again. Throws `StoreBusy` while the store is locked for long (a rebuild, an erasure):
 * the delivery is then refused with 503, and the platform sends it again.
 */
export async function storeOrder(
  db: Db,
  store: CollectingStore,
  order: PlatformOrder,
  /** Without a delivery, because we asked the platform: when the order changed last. */
  delivery: WebhookDelivery | { triggeredAt: string },
  now: Date,
  erased?: ErasedOrders,
): Promise<boolean> {
  // Takes the same lock as the collector, so that an order and its visitor's exposure cannot miss
  // each other, and so that an erasure that is running ends first.
  return withStoreLock(db, store.id, async trx => {
    if (await erased?.has(trx, store.id, order.id)) return false
    if ('deliveryId' in delivery && !(await isFirstDelivery(trx, store.id, delivery, now)))
      return true
    const day = dayIn(await zoneNow(trx, store), Date.parse(order.createdAt))
    const firstOrder = order.type === 'renewal' ? (order.firstOrderId ?? null) : null
    const known = visitorOf(order),
      // A message that came before its order is used up by it, also where the attribute decides.
      told = order.type === 'renewal' ? null : await takePixel(trx, store.id, order),
      byPixel = known === null && told !== null && told.isByPixel
    const ofFirst = (column: 'visitor_id' | 'by_pixel') =>
      sql`(select ${sql.ref(`f.${column}`)} from orders f where f.store_id = ${store.id} and f.order_id = ${firstOrder})`
    // A renewal has no visit: it belongs to the visitor of its first order.
    const isRenewal = known === null && firstOrder !== null,
      visitor = known ?? (isRenewal ? ofFirst('visitor_id') : (told?.visitor ?? null))
    // A later delivery without the attribute leaves an order to the visitor that the pixel named.
    const { numAffectedRows: hasChanged } = await sql`
      insert into orders as o (store_id, order_id, name, type, first_order, created_at, day, visitor_id, by_pixel, visitor_lost, is_disputed, amount, refunded, tax, refunded_tax, is_test, units, lines, triggered_at)
      values (${store.id}, ${order.id}, ${order.name}, ${order.type}, ${firstOrder}, ${order.createdAt}, ${day}, ${visitor}, ${isRenewal ? sql`coalesce(${ofFirst('by_pixel')}, false)` : byPixel}, ${isRenewal ? null : lostWhy(order)}, ${told?.isDisputed ?? false},
        ${order.subtotal}, ${order.refunded}, ${order.tax ?? 0}, ${order.refundedTax ?? 0}, ${order.test}, ${order.lines.reduce((sum, line) => sum + line.quantity, 0)}, ${JSON.stringify(order.lines)}, ${delivery.triggeredAt})
      on conflict (store_id, order_id) do update
        set name = excluded.name, type = excluded.type, first_order = excluded.first_order, amount = excluded.amount, refunded = excluded.refunded, tax = excluded.tax, refunded_tax = excluded.refunded_tax, is_test = excluded.is_test, units = excluded.units, lines = excluded.lines, triggered_at = excluded.triggered_at,
          visitor_id = case when excluded.visitor_id is null and o.by_pixel then o.visitor_id else excluded.visitor_id end,
          by_pixel = excluded.by_pixel or (excluded.visitor_id is null and o.by_pixel), visitor_lost = excluded.visitor_lost, is_disputed = o.is_disputed
        where (excluded.triggered_at, excluded.refunded) > (o.triggered_at, o.refunded)`.execute(
      trx,
    )
    if (!hasChanged) return true
    await markTestsOfOrder(trx, store.id, order)
    // A pixel is easier to forge than an order's attribute, so it lifts no decision.
    if (known !== null && !order.test) await liftByOrder(trx, store, known, now.getTime())
    await giveRenewals(trx, store.id, order.id)
    return true
  })
}

/** Checks an order that is stored. Must not throw. */
export type OrderCheck = (store: CollectingStore, order: PlatformOrder) => Promise<void>
