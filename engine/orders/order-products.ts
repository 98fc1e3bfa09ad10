import type { ArmIndex } from '../../domain/arm.ts'
import { lineAmount } from './order-amount.ts'

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
