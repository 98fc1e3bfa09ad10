import { orderAmounts, lineAmount } from './order-amount.ts'
import {
  inTest,
  orderReason,
  orderWay,
  unflaggedReason,
  visitorReason,
  withVisitor,
} from './order-reason.ts'

/**
 * SQL: the facts of an order and its visitor that decide where the order counts. `from`: the
 * orders `o` to look at. Reads `lines` only where the visitor met the test: only counted orders
 * need them, and they are the largest part of a row.
 */
export const attributedOrders = (from = 'orders o'): string => `
  select o.order_id, o.created_at, o.day, o.visitor_id, ${orderAmounts}, o.units, case when v.first_exposed_at is not null then o.lines end as lines, o.type, v.arm, v.device, v.is_new, coalesce(v.channel, 0) as channel, coalesce(v.referrer, '') as referrer, v.country,
    ${visitorReason} as against, case when v.is_bot then ${unflaggedReason} end as unflagged, o.is_test, ${orderWay} as way
  from ${from} ${withVisitor} where ${inTest}`

/** In which sums an order is, beside those of its reason and its way (`share`). */
export const share = { none: 0, counted: 1, bot: 2, renewal: 3 } as const

/** The columns of test_orders, except for its key's and `is_above`. */
export const rowColumns =
  'order_id, visitor_id, created_at, day, arm, device, channel, is_new, referrer, country, type, reason, way, share, amount, refunded, units, items'

const shareOf = `case when reason is null then ${share.counted} when reason = 'renewal' and against is null then ${share.renewal}
    when reason = 'bot' and unflagged is null then ${share.bot} else ${share.none} end`

/** SQL: the products of an order's lines, as they are counted. */
const itemsOf = `(
    select jsonb_agg(jsonb_build_object('product', product, 'title', title, 'quantity', quantity, 'amount', amount) order by product collate "C", title collate "C") from (
      select l."productId" as product, coalesce(l.title, '') as title, sum(l.quantity) as quantity, sum(${lineAmount}) as amount
      from jsonb_to_recordset(a.lines) l("productId" text, title text, quantity int, amount bigint, tax bigint) where l."productId" is not null group by 1, 2) i)`

/**
 * SQL: the rows of test_orders as they should be, from `attributedOrders(from)`. Each has the
 * columns `rowColumns`. `offset 0` makes the database work out each fact once.
 */
export const orderRows = (from?: string): string => `
  select order_id, visitor_id, created_at, day, arm, device, channel, is_new, referrer, country, type, reason, way, ${shareOf} as share, amount, refunded, units,
    case when reason is null then ${itemsOf} end as items
  from (select a.*, ${orderReason('against')} as reason from (${attributedOrders(from)} offset 0) a offset 0) a`
