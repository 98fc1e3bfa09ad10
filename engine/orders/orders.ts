import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { ErasedOrders } from '../stores/shoppers/erased-orders.ts'
import { eventStores } from '../events/event-stores.ts'
import type { CollectingStore } from '../events/event-stores.ts'
import { cartAttribute } from '../../domain/events/event.ts'
import { isImported } from '../../domain/imports/imported.ts'
import { lockStores } from '../events/ingest-write.ts'
import { liftByOrder } from '../events/networks/network-decisions.ts'
import type { Platform, PlatformOrder, WebhookDelivery } from '../platform/adapter.ts'
import { zoneNow } from '../events/time-zone.ts'
import { dayIn } from '../events/fold/visit-day.ts'
import { isFirstDelivery, type WebhookHandler, type WebhookTopics } from './webhooks.ts'
import type { Trx } from '../db/types.ts'

/**
 * The handlers of the order webhooks. Orders come only from the platform's signed webhook, never
 * from the browser.
 * Later deliveries bring refunds. `check` runs after the order is stored and must not throw,
 * because the platform would send the order again.
 */
export function orderTopics(
  { db, clock, platform }: { db: Db; clock: () => Date; platform: Platform },
  check: OrderCheck = () => Promise.resolve(),
  erased?: ErasedOrders,
): WebhookTopics {
  const stores = eventStores(db, clock)
  const take: WebhookHandler = async (delivery, body) => {
    const order = platform.parseOrder(body)
    const store = await stores.byShop(delivery.shop)
    if (!store) throw new HttpProblem(404, 'There is no such shop here.')
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
  return { 'orders/create': take, 'orders/updated': take }
}

/**
 * Stores an order as its newest delivery describes it. An older delivery that arrives late, or the
 * same one again, changes nothing. Returns false if the order's buyer was erased: then no delivery
 * stores it again.
 */
export async function storeOrder(
  db: Db,
  store: CollectingStore,
  order: PlatformOrder,
  delivery: WebhookDelivery,
  now: Date,
  erased?: ErasedOrders,
): Promise<boolean> {
  return db.kysely.transaction().execute(async trx => {
    // Takes the same lock as the collector, so that an order and its visitor's exposure cannot miss
    // each other. It also waits for an erasure that is running.
    await lockStores(trx, [store.id])
    if (await erased?.has(trx, store.id, order.id)) return false
    if (!(await isFirstDelivery(trx, store.id, delivery, now))) return true
    const day = dayIn(await zoneNow(trx, store), Date.parse(order.createdAt))
    const firstOrder = order.type === 'renewal' ? (order.firstOrderId ?? null) : null
    // A renewal has no visit: it belongs to the visitor of its first order.
    const visitor =
      visitorOf(order) ??
      (firstOrder === null
        ? null
        : sql`(select f.visitor_id from orders f where f.store_id = ${store.id} and f.order_id = ${firstOrder})`)
    const { numAffectedRows: hasChanged } = await sql`
      insert into orders as o (store_id, order_id, name, type, first_order, created_at, day, visitor_id, amount, refunded, is_test, units, lines, triggered_at)
      values (${store.id}, ${order.id}, ${order.name}, ${order.type}, ${firstOrder}, ${order.createdAt}, ${day}, ${visitor}, ${order.subtotal}, ${order.refunded}, ${order.test}, ${order.lines.reduce((sum, line) => sum + line.quantity, 0)}, ${JSON.stringify(order.lines)}, ${delivery.triggeredAt})
      on conflict (store_id, order_id) do update
        set name = excluded.name, type = excluded.type, first_order = excluded.first_order, visitor_id = excluded.visitor_id, amount = excluded.amount, refunded = excluded.refunded, is_test = excluded.is_test, units = excluded.units, lines = excluded.lines, triggered_at = excluded.triggered_at
        where (excluded.triggered_at, excluded.refunded) > (o.triggered_at, o.refunded)`.execute(
      trx,
    )
    if (!hasChanged) return true
    await markTestsOfOrder(trx, store.id, order.createdAt)
    const known = visitorOf(order)
    if (known !== null && !order.test) await liftByOrder(trx, store, known, now.getTime())
    await giveRenewals(trx, store.id, order.id)
    return true
  })
}

/**
 * Gives the visitor of this order to its renewals that arrived before the order did, or before its
 * visitor was known.
 */
async function giveRenewals(trx: Trx, storeId: string, firstOrder: string): Promise<void> {
  const { rows } = await sql<{ created_at: Date }>`
    update orders r set visitor_id = f.visitor_id from orders f
    where f.store_id = ${storeId} and f.order_id = ${firstOrder} and r.store_id = f.store_id and r.first_order = f.order_id and r.visitor_id is distinct from f.visitor_id
    returning r.created_at`.execute(trx)
  for (const { created_at } of rows) await markTestsOfOrder(trx, storeId, created_at.toISOString())
}

/** Tells the rollup to sum up again the orders of the tests that were running at `createdAt`. */
async function markTestsOfOrder(trx: Trx, storeId: string, createdAt: string): Promise<void> {
  await sql`
    insert into test_changes as c (store_id, test_id, changed, orders_changed)
    select store_id, test_id, 1, 1 from tests where store_id = ${storeId} and settled_at is null and start_at <= ${createdAt} and (ended_at is null or ended_at > ${createdAt})
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`.execute(
    trx,
  )
}

/** Checks an order that is stored. Must not throw. */
export type OrderCheck = (store: CollectingStore, order: PlatformOrder) => Promise<void>

/**
 * The visitor's id from the cart attribute, or null. Anyone can write cart attributes, so only an
 * id of our own form is accepted.
 */
export function visitorOf(order: PlatformOrder): string | null {
  const id = order.attributes[cartAttribute]
  return id !== undefined && /^[A-Za-z0-9_-]{8,64}$/.test(id) && !isImported(id) ? id : null
}
