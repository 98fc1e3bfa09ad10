import { sql } from 'kysely'
import type { OrderDay } from '../engine/db/order-figures.ts'
import type { Db } from '../engine/db/connection.ts'

/**
 * Stores these sums of a test's orders by day and arm, as if they had been summed up from orders at
 * `at`. None of the orders is above a cap.
 */
export async function keepOrders(
  db: Db,
  { store_id, test_id }: { store_id: string; test_id: string },
  days: readonly OrderDay[],
  at: Date,
): Promise<void> {
  for (const day of days)
    // Money is in hundredths of minor units.
    await sql`insert into test_order_sums
      (store_id, test_id, part, name, arm, buyers, orders, revenue, refunds, order_squares, units,
        plain, above, plain_squares, plain_above, above_squares, plain_orders, above_orders)
      values (${store_id}, ${test_id}, 'day', ${day.day}, ${day.arm}, ${day.buyers}, ${day.orders}, ${day.revenue}, 0, ${day.orderSquares}, 0,
        ${day.cappedRevenue * 100}, 0, ${day.cappedRevenueSquares * 10_000}, 0, 0, ${day.cappedRevenueOrders * 100}, 0)`.execute(
      db.kysely,
    )
  await sql`insert into test_order_states (store_id, test_id, cap, orders_changed, compared_at)
    values (${store_id}, ${test_id}, null, 0, ${at})`.execute(db.kysely)
}
