import type { ArmIndex } from '../../domain/arm.ts'
import type { OrderCell } from '../db/order-figures.ts'
import { run } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'
import { lineAmount } from './order-amount.ts'

/**
 * Stores a test's counted orders: in cells by the known facts about their buyers, and by product.
 */

/**
 * Replaces the stored cells by `cells`. Writes only what differs, because a new order changes few
 * of the many cells.
 */
export async function storeOrderCells(
  trx: Trx,
  storeId: string,
  testId: string,
  cells: OrderCell[],
): Promise<void> {
  const key = 'country, referrer, arm, device, channel, is_new, type'
  const figures =
    'buyers, orders, revenue, capped_revenue, capped_revenue_squares, order_squares, capped_revenue_orders, units'
  const values = [
    cells.map(c => c.country),
    cells.map(c => c.referrer),
    cells.map(c => c.arm),
    cells.map(c => c.device),
    cells.map(c => c.channel),
    cells.map(c => c.isNew),
    cells.map(c => c.type),
    cells.map(c => c.buyers),
    cells.map(c => c.orders),
    cells.map(c => c.revenue),
    cells.map(c => c.cappedRevenue),
    cells.map(c => c.cappedRevenueSquares),
    cells.map(c => c.orderSquares),
    cells.map(c => c.cappedRevenueOrders),
    cells.map(c => c.units),
  ]
  await run(
    trx,
    `
    delete from test_cube_orders where store_id = $1 and test_id = $2 and (${key}) not in
      (select * from unnest($3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::text[]))`,
    [storeId, testId, ...values.slice(0, 7)],
  )
  if (cells.length === 0) return
  await run(
    trx,
    `
    insert into test_cube_orders as c (store_id, test_id, ${key}, ${figures})
    select $1, $2, * from unnest($3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::text[],
      $10::int[], $11::int[], $12::float8[], $13::float8[], $14::float8[], $15::float8[], $16::float8[], $17::float8[])
    on conflict (store_id, test_id, ${key}) do update set (${figures}) = (${figures
      .split(', ')
      .map(f => `excluded.${f}`)
      .join(', ')})
      where (${figures
        .split(', ')
        .map(f => `c.${f}`)
        .join(', ')}) is distinct from (${figures
        .split(', ')
        .map(f => `excluded.${f}`)
        .join(', ')})`,
    [storeId, testId, ...values],
  )
}

/**
 * The counted orders of an arm for one product: number of buyers, pieces, and revenue in minor
 * units. `title` is the one of the newest order line in either arm.
 */
export type ProductOrders = {
  product: string
  arm: ArmIndex
  title: string
  buyers: number
  units: number
  revenue: number
}

/** SQL: CTEs that make `products` from `attributed` (order-figures.ts). */
export const productCtes = `
  items as materialized (
    select a.arm, a.visitor_id, a.created_at, l."productId" as product, l.title, l.quantity, ${lineAmount} as amount
    from attributed a cross join lateral jsonb_to_recordset(a.lines) l("productId" text, title text, quantity int, amount bigint, tax bigint) where a.reason is null and l."productId" is not null),
  baskets as (select product, arm, visitor_id, sum(quantity) as units, sum(amount) as revenue from items group by product, arm, visitor_id),
  newest as (select product, max(created_at) as created_at from items group by product),
  titles as (select product, min(title collate "C") as title from items join newest using (product, created_at) group by product),
  products as (
    select product, arm, min(title) as title, count(*)::int as buyers, sum(units)::float8 as units, sum(revenue)::float8 as revenue
    from baskets join titles using (product) group by product, arm order by product, arm)`

/** Replaces the stored rows by `products`. Writes only what differs. */
export async function storeProductOrders(
  trx: Trx,
  storeId: string,
  testId: string,
  products: ProductOrders[],
): Promise<void> {
  const keys = [products.map(p => p.product), products.map(p => p.arm)]
  await run(
    trx,
    `
    delete from test_product_orders where store_id = $1 and test_id = $2 and (product_id, arm) not in (select * from unnest($3::text[], $4::smallint[]))`,
    [storeId, testId, ...keys],
  )
  if (products.length === 0) return
  await run(
    trx,
    `
    insert into test_product_orders as p (store_id, test_id, product_id, arm, title, buyers, units, revenue)
    select $1, $2, * from unnest($3::text[], $4::smallint[], $5::text[], $6::int[], $7::float8[], $8::float8[])
    on conflict (store_id, test_id, product_id, arm) do update set (title, buyers, units, revenue) = (excluded.title, excluded.buyers, excluded.units, excluded.revenue)
      where (p.title, p.buyers, p.units, p.revenue) is distinct from (excluded.title, excluded.buyers, excluded.units, excluded.revenue)`,
    [
      storeId,
      testId,
      ...keys,
      products.map(p => p.title),
      products.map(p => p.buyers),
      products.map(p => p.units),
      products.map(p => p.revenue),
    ],
  )
}
