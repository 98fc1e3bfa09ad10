import { sql } from 'kysely'
import type { Trx } from '../db/types.ts'

/**
 * Gives the visitor of this order to its renewals: to those that arrived before the order did, or
 * before its visitor was known.
 */
export async function giveRenewals(trx: Trx, storeId: string, firstOrder: string): Promise<void> {
  const { rows } = await sql<{ order_id: string; created_at: Date }>`
    update orders r set visitor_id = f.visitor_id, by_pixel = f.by_pixel from orders f
    where f.store_id = ${storeId} and f.order_id = ${firstOrder} and r.store_id = f.store_id and r.first_order = f.order_id
      and (r.visitor_id, r.by_pixel) is distinct from (f.visitor_id, f.by_pixel)
    returning r.order_id, r.created_at`.execute(trx)
  for (const { order_id: id, created_at } of rows)
    await markTestsOfOrder(trx, storeId, { id, createdAt: created_at.toISOString() })
}

/** Tells the rollup that an order has changed, for each test that was running at `createdAt`. */
export async function markTestsOfOrder(
  trx: Trx,
  storeId: string,
  { id, createdAt }: { id: string; createdAt: string },
): Promise<void> {
  await sql`
    with marked as (
      insert into order_marks (store_id, test_id, order_id)
      select store_id, test_id, ${id} from tests where store_id = ${storeId} and settled_at is null and start_at <= ${createdAt} and (ended_at is null or ended_at > ${createdAt})
      returning store_id, test_id)
    insert into test_changes as c (store_id, test_id, changed, orders_changed) select store_id, test_id, 1, 1 from marked
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`.execute(
    trx,
  )
}
