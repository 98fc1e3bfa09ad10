import { addReconciled, type Reconciled } from '../../domain/platform/reconciled.ts'
import { day, hour } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import { rows } from '../db/raw.ts'
import { type CollectingStore, loadStore } from '../events/event-stores.ts'
import { storeOrder } from '../orders/orders.ts'
import type { PlatformOrder } from '../platform/adapter.ts'
import { orderCheck } from '../prices/price-checks.ts'
import { erasedOrders } from '../stores/shoppers/erased-orders.ts'
import type { ComparedStore } from './compared-store.ts'

/** The first comparison reads this far back. */
const firstTime = 7 * day
/** Read twice, because a platform may list a change some minutes after it was made. */
const overlap = hour

/**
 * Reads the orders that changed at the platform since the comparison before, page by page, and
 * stores those that we do not know so.
 */
export async function reconcileOrders(
  context: EngineContext,
  { storeId, shop, installedAt, readUntil, until, run }: ComparedStore,
): Promise<Reconciled> {
  const to = until.getTime()
  const { capabilities } =
    (await context.db.kysely
      .selectFrom('reconciliations')
      .select('capabilities')
      .where('store_id', '=', storeId)
      .executeTakeFirst()) ?? {}
  const from = Math.max(
    installedAt.getTime(),
    readUntil ? readUntil.getTime() - overlap : to - firstTime,
    capabilities?.orderDays != null ? to - capabilities.orderDays * day : 0,
  )
  const store = await loadStore(context.db, shop)
  let found: Reconciled = {}
  if (!store || from >= to) return found
  const span = { from: new Date(from).toISOString(), to: until.toISOString() }
  for (let cursor: string | null | undefined; cursor !== null;) {
    run.signal.throwIfAborted()
    const page = await context.platform.changedOrders(shop, {
      ...span,
      ...(cursor !== undefined && { cursor }),
    })
    // One order that nobody can read must not keep all others from being compared, every night.
    for (const problem of page.unreadable ?? [])
      context.log.error({ storeId, problem }, 'an order of the platform cannot be read')
    found = addReconciled(found, await storeNew(context, store, page.orders, span.to))
    cursor = page.next
  }
  return found
}

/** Stores the orders of which we do not know the present state. */
async function storeNew(
  context: EngineContext,
  store: CollectingStore,
  orders: readonly PlatformOrder[],
  until: string,
): Promise<Reconciled> {
  const check = orderCheck(context),
    erased = erasedOrders(context.config)
  const known = await knownOrders(context, store.id, orders)
  let found: Reconciled = {}
  for (const order of orders) {
    const before = known.get(order.id),
      triggeredAt = order.updatedAt ?? until
    if (before && before.triggered_at >= new Date(triggeredAt)) continue
    if (order.currency !== store.currency) {
      context.log.warn(
        { storeId: store.id, orderId: order.id },
        'an order is in another currency than the shop',
      )
      continue
    }
    if (!(await storeOrder(context.db, store, order, { triggeredAt }, context.clock(), erased)))
      continue
    await check(store, order)
    const thing = !before
      ? 'orders'
      : before.refunded !== order.refunded
        ? 'refunds'
        : before.amount !== order.subtotal || before.is_test !== order.test
          ? 'orderChanges'
          : null
    if (thing) found = addReconciled(found, { [thing]: 1 })
  }
  return found
}

type KnownOrder = {
  order_id: string
  triggered_at: Date
  amount: number
  refunded: number
  is_test: boolean
}

async function knownOrders(
  { db: { kysely } }: EngineContext,
  storeId: string,
  orders: readonly PlatformOrder[],
): Promise<Map<string, KnownOrder>> {
  const known = await rows<KnownOrder>(
    kysely,
    `select order_id, triggered_at, amount::float8 as amount, refunded::float8 as refunded, is_test
      from orders where store_id = $1 and order_id = any($2::text[])`,
    [storeId, orders.map(({ id }) => id)],
  )
  return new Map(known.map(row => [row.order_id, row]))
}
