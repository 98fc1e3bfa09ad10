import { sql } from 'kysely'
import type { PixelMessage } from '../../domain/orders/pixel.ts'
import {
  isTimely,
  type KnownVisitor,
  maxWaitingPixels,
  pixelWait,
  withPixel,
} from '../../domain/orders/order-visitor.ts'
import type { Db } from '../db/connection.ts'
import { rows as query, run } from '../db/raw.ts'
import type { Reader, Trx } from '../db/types.ts'
import type { CollectingStore } from '../events/event-stores.ts'
import { withStoreLock } from '../events/store-lock.ts'
import type { OrderLine, PlatformOrder } from '../platform/adapter.ts'
import type { ErasedOrders } from '../stores/shoppers/erased-orders.ts'
import { giveRenewals, markTestsOfOrder } from './order-changes.ts'

/**
 * Messages of the checkout pixel and the orders that they are about, in either order of arrival.
 * What is known is stored with the order, so that figures which are made again are the same.
 */
type Row = {
  created_at: Date
  type: PlatformOrder['type']
  imported_for: string | null
  visitor_id: string | null
  by_pixel: boolean
  is_disputed: boolean
}

/**
 * Stores what a message says. Returns whether the visitor of a stored order has changed. A message
 * about an order that has not arrived is kept for `pixelWait`.
 */
export async function storePixel(
  db: Db,
  store: CollectingStore,
  { order, visitor }: Pick<PixelMessage, 'order' | 'visitor'>,
  now: Date,
  erased?: ErasedOrders,
): Promise<boolean> {
  return withStoreLock(db, store.id, async trx => {
    if (await erased?.has(trx, store.id, order)) return false
    const [row] = await query<Row>(
      trx,
      'select created_at, type, imported_for, visitor_id, by_pixel, is_disputed from orders where store_id = $1 and order_id = $2',
      [store.id, order],
    )
    if (!row) {
      await wait(trx, store.id, { order, visitor }, now)
      return false
    }
    // The platform makes a renewal, so no browser can tell about it.
    if (row.imported_for !== null || row.type === 'renewal') return false
    if (!isTimely(now.getTime(), row.created_at.getTime())) return false
    const known: KnownVisitor = {
      visitor: row.visitor_id,
      isByPixel: row.by_pixel,
      isDisputed: row.is_disputed,
    }
    const next = withPixel(known, visitor)
    if (!next) return false
    await run(
      trx,
      'update orders set visitor_id = $3, by_pixel = $4, is_disputed = $5 where store_id = $1 and order_id = $2',
      [store.id, order, next.visitor, next.isByPixel, next.isDisputed],
    )
    await markTestsOfOrder(trx, store.id, { id: order, createdAt: row.created_at.toISOString() })
    await giveRenewals(trx, store.id, order)
    return true
  })
}

async function wait(
  trx: Trx,
  storeId: string,
  { order, visitor }: Pick<PixelMessage, 'order' | 'visitor'>,
  now: Date,
): Promise<void> {
  const [waiting] = await query<{ count: number }>(
    trx,
    `select count(*)::int as count from (select from order_pixels where store_id = $1 limit ${maxWaitingPixels}) w`,
    [storeId],
  )
  // A buyer's message waits for seconds. Messages about orders that never come must not keep it
  // out.
  if (waiting!.count >= maxWaitingPixels)
    await run(
      trx,
      `delete from order_pixels where store_id = $1 and of_order in
        (select of_order from order_pixels where store_id = $1 order by received_at limit $2)`,
      [storeId, waiting!.count - maxWaitingPixels + 1],
    )
  await run(
    trx,
    `insert into order_pixels as p (store_id, of_order, visitor_id, received_at) values ($1, $2, $3, $4)
    on conflict (store_id, of_order) do update set visitor_id = null where p.visitor_id is distinct from excluded.visitor_id`,
    [storeId, order, visitor, now],
  )
}

/**
 * Takes the waiting message about an order that has just arrived. Null when there is none, or when
 * it is too old for this order.
 */
export async function takePixel(
  trx: Trx,
  storeId: string,
  { id, createdAt }: Pick<PlatformOrder, 'id' | 'createdAt'>,
): Promise<KnownVisitor | null> {
  const [taken] = await query<{ visitor_id: string | null; received_at: Date }>(
    trx,
    'delete from order_pixels where store_id = $1 and of_order = $2 returning visitor_id, received_at',
    [storeId, id],
  )
  if (!taken || !isTimely(taken.received_at.getTime(), Date.parse(createdAt))) return null
  const visitor = taken.visitor_id
  return { visitor, isByPixel: visitor !== null, isDisputed: visitor === null }
}

/** Deletes messages whose orders never arrived. */
export const forgetPixels = (on: Reader, now: Date): Promise<number> =>
  run(on, 'delete from order_pixels where received_at < $1', [new Date(now.getTime() - pixelWait)])

/** A stored order as far as the check of its prices needs it; null when there is none. */
export async function storedOrder(
  { kysely }: Pick<Db, 'kysely'>,
  store: Pick<CollectingStore, 'id' | 'currency'>,
  id: string,
): Promise<PlatformOrder | null> {
  const {
    rows: [row],
  } = await sql<{
    name: string | null
    type: PlatformOrder['type']
    created_at: Date
    amount: number
    refunded: number
    is_test: boolean
    lines: OrderLine[] | null
    is_cleared: boolean
  }>`
    select name, type, created_at, amount::float8 as amount, refunded::float8 as refunded, is_test, lines, visitor_lost is not distinct from 'cleared' as is_cleared
    from orders where store_id = ${store.id} and order_id = ${id}`.execute(kysely)
  return (
    (row && {
      id,
      name: row.name ?? id,
      createdAt: row.created_at.toISOString(),
      currency: store.currency,
      subtotal: row.amount,
      refunded: row.refunded,
      test: row.is_test,
      type: row.type,
      lines: row.lines ?? [],
      // Attributes are not stored. Only orders that came without the visitor's are read here.
      attributes: {},
      ...(row.is_cleared && { isCleared: true as const }),
    }) ??
    null
  )
}
