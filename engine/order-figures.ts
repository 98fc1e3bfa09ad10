import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { exclusions } from '../domain/summary.ts'
import type { DayTotals, Exclusion, Ledger } from '../domain/summary.ts'
import { allReferrers } from './aggregates-deltas.ts'
import { rows as query } from './db/raw.ts'
import type { Schema } from './db/schema.ts'
import { orderReason, visitorReason } from './order-reason.ts'

/** The part of a day's totals that orders make (definitions at DayTotals). */
type OrderSums = Pick<DayTotals, 'buyers' | 'orders' | 'revenue' | 'cappedRevenue' | 'cappedRevenueSquares' | 'orderSquares' | 'cappedRevenueOrders'>
export type OrderDay = OrderSums & Pick<DayTotals, 'day' | 'arm'>
/** What orders add to a cell of the cube (migration 0006): a type of order, or '' for one-time and subscription together. */
export type OrderCell = OrderSums & { referrer: string; arm: ArmIndex; device: number; channel: number; isNew: boolean; type: string }
export type OrderFigures = { days: OrderDay[]; ledger: Ledger; orderCap: number | null; cappedOrders: number }

/** Orders needed before the inference caps them (statistics.md). */
const ordersToCap = 100

// The lateral join keeps to the key: without statistics (PGlite gathers none by itself) a plain one reads all visitors
// for each order.
const attributed = `
  select o.order_id, o.created_at, o.day, o.visitor_id, o.amount, o.refunded, o.type, v.arm, v.device, v.is_new, coalesce(v.channel, 0) as channel, coalesce(v.referrer, '') as referrer,
    ${visitorReason} as against, o.is_test
  from orders o left join lateral (select * from test_visitors v where v.store_id = o.store_id and v.test_id = $2 and v.visitor_id = o.visitor_id offset 0) v on true
  where o.store_id = $1 and o.created_at >= $3 and o.created_at < $4`

const cellKey = 'arm, device, channel, is_new', sums = `
  count(*)::int as buyers, sum(orders)::int as orders, sum(amount)::float8 as revenue, (sum(total) / 100)::float8 as capped_revenue,
  (sum(total * total) / 10000)::float8 as capped_revenue_squares, sum(orders * orders)::float8 as order_squares, (sum(total * orders) / 100)::float8 as capped_revenue_orders`

/*
 * Amounts are whole minor units and the 99th percentile between two of them falls on a hundredth (its place is 0.99 of
 * a whole number), so in hundredths all is whole and sums are exact, in whatever order the rows are read. A renewal is
 * the platform's doing, not the visitor's: it counts in no arm, and stands by itself among the cells.
 */
const figures = `
  with attributed as materialized (select a.*, ${orderReason('against')} as reason from (${attributed}) a),
  counted as (select * from attributed where reason is null),
  cap as (select case when count(*) >= ${ordersToCap} then round(percentile_cont(0.99) within group (order by amount::float8) * 100)::bigint end as cap from counted),
  capped as materialized (select c.*, least(c.amount * 100, cap.cap) as value, c.amount * 100 > cap.cap as is_capped from counted c, cap),
  running as (
    select c.*, sum(value) over visitor as total, count(*) over visitor as place from capped c
    window visitor as (partition by visitor_id order by created_at, order_id rows unbounded preceding)),
  days as (
    select day::text as day, arm, count(*) filter (where place = 1)::int as buyers, count(*)::int as orders, sum(amount)::float8 as revenue,
      (sum(value) / 100)::float8 as capped_revenue,
      (sum(total * total - (total - value) * (total - value)) / 10000)::float8 as capped_revenue_squares,
      sum(2 * place - 1)::float8 as order_squares,
      (sum(total * place - (total - value) * (place - 1)) / 100)::float8 as capped_revenue_orders,
      count(*) filter (where is_capped)::int as capped_orders, (select cap / 100.0 from cap)::float8 as cap
    from running group by day, arm order by day, arm),
  reasons as (select arm, reason, count(*)::int as orders, sum(amount)::float8 as amount, sum(refunded)::float8 as refunds from attributed group by arm, reason),
  typed as (
    select visitor_id, ${cellKey}, referrer, t.type, amount, value from capped c cross join lateral (values (''), (c.type)) t(type)
    union all
    select visitor_id, ${cellKey}, referrer, type, amount, amount * 100 from attributed where reason = 'renewal' and against is null),
  people as (
    select ${cellKey}, r.referrer, type, visitor_id, count(*) as orders, sum(amount) as amount, sum(value) as total
    from typed p cross join lateral (values ('${allReferrers}'), (p.referrer)) r(referrer) group by ${cellKey}, r.referrer, type, visitor_id),
  cells as (select ${cellKey}, referrer, type, ${sums} from people group by ${cellKey}, referrer, type order by ${cellKey}, referrer, type)
  select (select coalesce(json_agg(d), '[]') from days d) as days, (select coalesce(json_agg(r), '[]') from reasons r) as reasons, (select coalesce(json_agg(c), '[]') from cells c) as cells`

type SumsRow = { buyers: number; orders: number; revenue: number; capped_revenue: number; capped_revenue_squares: number; order_squares: number; capped_revenue_orders: number }
type DayRow = SumsRow & { day: string; arm: ArmIndex; capped_orders: number; cap: number | null }
type CellRow = SumsRow & { arm: ArmIndex; device: number; channel: number; is_new: boolean; referrer: string; type: string }
type ReasonRow = { arm: ArmIndex | null; reason: Exclusion | null; orders: number; amount: number; refunds: number }

const sumsOf = (row: SumsRow): OrderSums => ({
  buyers: row.buyers, orders: row.orders, revenue: row.revenue, cappedRevenue: row.capped_revenue,
  cappedRevenueSquares: row.capped_revenue_squares, orderSquares: row.order_squares, cappedRevenueOrders: row.capped_revenue_orders,
})

/** Every order of the shop in the half-open window, in an arm or out with a reason, and what they add to each day and to each cell of the cube. */
export async function orderFigures(on: Kysely<Schema>, storeId: string, testId: string, from: Date, to: Date | null): Promise<OrderFigures & { cells: OrderCell[] }> {
  const [row] = await query<{ days: DayRow[]; reasons: ReasonRow[]; cells: CellRow[] }>(on, figures, [storeId, testId, from, to ?? 'infinity'])
  const { days, reasons, cells } = row!
  return {
    days: days.map(day => ({ day: day.day, arm: day.arm, ...sumsOf(day) })),
    ledger: ledgerOf(reasons),
    orderCap: days[0]?.cap ?? null,
    cappedOrders: days.reduce((sum, day) => sum + day.capped_orders, 0),
    cells: cells.map(cell => ({ referrer: cell.referrer, arm: cell.arm, device: cell.device, channel: cell.channel, isNew: cell.is_new, type: cell.type, ...sumsOf(cell) })),
  }
}

type Line = Ledger['total']
const noOrders = (): Line => ({ orders: 0, amount: 0, refunds: 0 })

function ledgerOf(rows: ReasonRow[]): Ledger {
  const arms: PerArm<Line> = [noOrders(), noOrders()], total = noOrders()
  const excluded = exclusions.map(reason => ({ reason, ...noOrders() }))
  for (const row of rows)
    for (const line of [row.reason === null ? arms[row.arm!] : excluded.find(e => e.reason === row.reason)!, total]) {
      line.orders += row.orders
      line.amount += row.amount
      line.refunds += row.refunds
    }
  return { arms, excluded, total }
}
