import type { ArmIndex } from '../../domain/arm.ts'
import { run } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'

/** What an arm's counted orders hold of a product: buyers, pieces, minor units. The title is that of its newest line in either arm. */
export type ProductOrders = {
  product: string
  arm: ArmIndex
  title: string
  buyers: number
  units: number
  revenue: number
}

/** The last of these is `products`, made of `attributed` (order-figures.ts). */
export const productCtes = `
  items as materialized (
    select a.arm, a.visitor_id, a.created_at, l."productId" as product, l.title, l.quantity, l.amount
    from attributed a cross join lateral jsonb_to_recordset(a.lines) l("productId" text, title text, quantity int, amount bigint) where a.reason is null and l."productId" is not null),
  baskets as (select product, arm, visitor_id, sum(quantity) as units, sum(amount) as revenue from items group by product, arm, visitor_id),
  newest as (select product, max(created_at) as created_at from items group by product),
  titles as (select product, min(title collate "C") as title from items join newest using (product, created_at) group by product),
  products as (
    select product, arm, min(title) as title, count(*)::int as buyers, sum(units)::float8 as units, sum(revenue)::float8 as revenue
    from baskets join titles using (product) group by product, arm order by product, arm)`

/** Makes the stored rows those given, touching only what differs. */
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
