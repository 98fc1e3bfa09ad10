import { rows as query } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'
import { share } from './order-rows.ts'

/** Number of orders from which the statistics cap large orders (docs/statistics.md). */
export const ordersToCap = 100

/*
 * The 99th percentile of n amounts lies between two of them, at the place 0.99 × (n − 1) from the
 * lowest. In hundredths it is a whole number, so it is computed with whole numbers alone. Both
 * amounts are among the highest hundredth, which the index has in order.
 */
const capSql = `
  with counted as (select coalesce(sum(orders), 0)::bigint as n from test_order_sums where store_id = $1 and test_id = $2 and part = 'reason' and name = ''),
  place as (select n, 99 * (n - 1) / 100 as below, 99 * (n - 1) % 100 as rest from counted),
  beside as (
    select amount from test_orders where store_id = $1 and test_id = $2 and share = ${share.counted}
    order by share desc, amount desc offset (select greatest(n - 2 - below, 0) from place) limit 2)
  select case when (select n from place) >= ${ordersToCap} then 100 * min(amount) + (select rest from place) * (max(amount) - min(amount)) end as cap from beside`

/**
 * The amount at which the statistics cap an order of this test, in hundredths of minor units; null
 * for too few orders. Until its end the transaction avoids sorting.
 */
export async function capOf(trx: Trx, storeId: string, testId: string): Promise<number | null> {
  // Without statistics the database would sort all orders.
  await query(trx, 'set local enable_sort = off', [])
  const [row] = await query<{ cap: number | null }>(trx, capSql, [storeId, testId])
  return row!.cap
}

/**
 * The orders of all visitors with an order that is above one of two caps and not above the other.
 */
export async function crossedBy(
  trx: Trx,
  storeId: string,
  testId: string,
  caps: readonly (number | null)[],
): Promise<string[]> {
  const [low, high] = caps.map(cap => cap ?? Infinity).sort((a, b) => a - b)
  const found = await query<{ order_id: string }>(
    trx,
    `
    with crossed as materialized (
      select distinct visitor_id from test_orders where store_id = $1 and test_id = $2 and share in (${share.counted}, ${share.bot}) and amount > $3::bigint and ($4::bigint is null or amount <= $4::bigint))
    select o.order_id from crossed c cross join lateral (
      select t.order_id from test_orders t where t.store_id = $1 and t.test_id = $2 and t.visitor_id = c.visitor_id offset 0) o`,
    [storeId, testId, Math.floor(low! / 100), high === Infinity ? null : Math.floor(high! / 100)],
  )
  return found.map(row => row.order_id)
}
