import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { exclusions } from '../domain/summary.ts'
import type { DayTotals, Exclusion, Ledger } from '../domain/summary.ts'
import { rows as query } from './db/raw.ts'
import type { Schema } from './db/schema.ts'

/** The part of a day's totals that orders make (definitions at DayTotals). */
export type OrderDay = Pick<DayTotals, 'day' | 'arm' | 'buyers' | 'orders' | 'revenue' | 'cappedRevenue' | 'cappedRevenueSquares' | 'orderSquares' | 'cappedRevenueOrders'>
export type OrderFigures = { days: OrderDay[]; ledger: Ledger; orderCap: number | null; cappedOrders: number }

/** Orders needed before the inference caps them (statistics.md). */
const ordersToCap = 100

// A platform may give whole seconds only: an order of the same second as the exposure came after it. The lateral join
// keeps to the key: without statistics (PGlite gathers none by itself) a plain one reads all visitors for each order.
const attributed = `
  select o.order_id, o.created_at, o.day, o.visitor_id, o.amount, o.refunded, v.arm,
    case when o.is_test then 'testOrder'
      when o.visitor_id is null then 'noConsent'
      when v.first_exposed_at is null then 'noExposure'
      when v.is_bot then 'bot'
      when v.seen & (2 >> v.arm) <> 0 then 'bothArms'
      when o.created_at < date_trunc('second', v.first_exposed_at) then 'beforeExposure' end as reason
  from orders o left join lateral (select * from test_visitors v where v.store_id = o.store_id and v.test_id = $2 and v.visitor_id = o.visitor_id offset 0) v on true
  where o.store_id = $1 and o.created_at >= $3 and o.created_at < $4`

/*
 * Amounts are whole minor units and the 99th percentile between two of them falls on a hundredth (its place is 0.99 of
 * a whole number), so in hundredths all is whole and sums are exact, in whatever order the rows are read.
 */
const byDay = `
  with attributed as materialized (${attributed}),
  counted as (select * from attributed where reason is null),
  cap as (select case when count(*) >= ${ordersToCap} then round(percentile_cont(0.99) within group (order by amount::float8) * 100)::bigint end as cap from counted),
  capped as (select c.*, least(c.amount * 100, cap.cap) as value, c.amount * 100 > cap.cap as is_capped from counted c, cap),
  running as (
    select c.*, sum(value) over visitor as total, count(*) over visitor as place from capped c
    window visitor as (partition by visitor_id order by created_at, order_id rows unbounded preceding))
  select day::text as day, arm, count(*) filter (where place = 1)::int as buyers, count(*)::int as orders, sum(amount)::float8 as revenue,
    (sum(value) / 100)::float8 as capped_revenue,
    (sum(total * total - (total - value) * (total - value)) / 10000)::float8 as capped_revenue_squares,
    sum(2 * place - 1)::float8 as order_squares,
    (sum(total * place - (total - value) * (place - 1)) / 100)::float8 as capped_revenue_orders,
    count(*) filter (where is_capped)::int as capped_orders, (select cap / 100.0 from cap)::float8 as cap
  from running group by day, arm order by day, arm`

const byReason = `select arm, reason, count(*)::int as orders, sum(amount)::float8 as amount, sum(refunded)::float8 as refunds from (${attributed}) a group by arm, reason`

type DayRow = { day: string; arm: ArmIndex; buyers: number; orders: number; revenue: number; capped_revenue: number; capped_revenue_squares: number; order_squares: number; capped_revenue_orders: number; capped_orders: number; cap: number | null }
type ReasonRow = { arm: ArmIndex | null; reason: Exclusion | null; orders: number; amount: number; refunds: number }

/** Every order of the shop in the half-open window, in an arm or out with a reason, and what they add to each day. */
export async function orderFigures(on: Kysely<Schema>, storeId: string, testId: string, from: Date, to: Date | null): Promise<OrderFigures> {
  const window = [storeId, testId, from, to ?? 'infinity']
  const days = await query<DayRow>(on, byDay, window)
  return {
    days: days.map(row => ({
      day: row.day, arm: row.arm, buyers: row.buyers, orders: row.orders, revenue: row.revenue, cappedRevenue: row.capped_revenue,
      cappedRevenueSquares: row.capped_revenue_squares, orderSquares: row.order_squares, cappedRevenueOrders: row.capped_revenue_orders,
    })),
    ledger: ledgerOf(await query<ReasonRow>(on, byReason, window)),
    orderCap: days[0]?.cap ?? null,
    cappedOrders: days.reduce((sum, row) => sum + row.capped_orders, 0),
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
