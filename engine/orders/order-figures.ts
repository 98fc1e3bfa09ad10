import type { Kysely } from 'kysely'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import { orderWays } from '../../domain/orders/order-visitor.ts'
import { exclusions } from '../../domain/reports/summary.ts'
import type { Exclusion, Ledger } from '../../domain/reports/summary.ts'
import { allCountries, allReferrers } from '../events/fold/deltas.ts'
import { rows as query } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import { productCtes, type ProductOrders } from './order-products.ts'
import { orderReason } from './order-reason.ts'
import { attributedOrders } from './order-rows.ts'
import type { OrderCell, OrderFigures, OrderSums } from '../db/order-figures.ts'
import { ordersToCap } from './order-cap.ts'

const attributed = attributedOrders()

const cellKey = 'arm, device, channel, is_new'
/**
 * SQL: adds up one row per person. Capped amounts are still whole hundredths of minor units here.
 */
const sums = `
  count(*) as buyers, sum(orders) as orders, sum(amount) as revenue, sum(total) as total, sum(total * total) as squares, sum(orders * orders) as order_squares, sum(total * orders) as products, sum(units) as units`
/** SQL: adds up `sums`, with capped amounts turned from hundredths into minor units. */
const answered = `
  sum(buyers)::int as buyers, sum(orders)::int as orders, sum(revenue)::float8 as revenue, (sum(total) / 100)::float8 as capped_revenue, (sum(squares) / 10000)::float8 as capped_revenue_squares,
  sum(order_squares)::float8 as order_squares, (sum(products) / 100)::float8 as capped_revenue_orders, sum(units)::float8 as units`

/*
 * Amounts are whole minor units. The 99th percentile lies between two of them, at a multiple of a
 * hundredth (its place is 0.99 of a whole number). So in hundredths all values are whole, and sums
 * are exact in whatever order the rows are read. The platform makes a renewal, not the visitor: a
 * renewal counts in no arm and has cells of its own.
 */
const figures = `
  with attributed as materialized (select a.*, ${orderReason('against')} as reason from (${attributed}) a),
  counted as (select order_id, created_at, day, visitor_id, amount, units, type, ${cellKey}, referrer, country from attributed where reason is null),
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
  ways as (select way, count(*)::int as orders from attributed where way is not null group by way),
  typed as (
    select visitor_id, ${cellKey}, referrer, country, t.type, amount, value, units from capped c cross join lateral (values (''), (c.type)) t(type)
    union all
    select visitor_id, ${cellKey}, referrer, country, type, amount, amount * 100, units from attributed where reason = 'renewal' and against is null),
  people as (
    select ${cellKey}, referrer, country, type, visitor_id, count(*) as orders, sum(amount) as amount, sum(value) as total, sum(units) as units from typed
    group by ${cellKey}, referrer, country, type, visitor_id),
  kinds as (select ${cellKey}, referrer, country, type, ${sums} from people group by ${cellKey}, referrer, country, type),
  cells as (
    select ${cellKey}, r.referrer, n.country, type, ${answered}
    from kinds k cross join lateral (values ('${allReferrers}'), (k.referrer)) r(referrer) cross join lateral (values ('${allCountries}'), (k.country)) n(country)
    where n.country is not null group by ${cellKey}, r.referrer, n.country, type order by ${cellKey}, r.referrer, n.country, type),
  flagged as (
    select arm, visitor_id, count(*) as orders, sum(amount) as amount, sum(least(amount * 100, cap.cap)) as total, sum(units) as units
    from attributed, cap where reason = 'bot' and unflagged is null group by arm, visitor_id),
  bots as (select arm, ${answered} from (select arm, ${sums} from flagged group by arm) b group by arm),${productCtes}
  select (select coalesce(json_agg(w), '[]') from ways w) as ways, (select coalesce(json_agg(d), '[]') from days d) as days, (select coalesce(json_agg(r), '[]') from reasons r) as reasons,
    (select coalesce(json_agg(c), '[]') from cells c) as cells, (select coalesce(json_agg(b), '[]') from bots b) as bots, (select coalesce(json_agg(p), '[]') from products p) as products`

type SumsRow = {
  buyers: number
  orders: number
  revenue: number
  capped_revenue: number
  capped_revenue_squares: number
  order_squares: number
  capped_revenue_orders: number
}
type DayRow = SumsRow & { day: string; arm: ArmIndex; capped_orders: number; cap: number | null }
type CellRow = SumsRow & {
  arm: ArmIndex
  device: number
  channel: number
  is_new: boolean
  referrer: string
  country: string
  type: string
  units: number
}
type WayRow = NonNullable<Ledger['ways']>[number]
type BotRow = SumsRow & { arm: ArmIndex }
type ReasonRow = {
  arm: ArmIndex | null
  reason: Exclusion | null
  orders: number
  amount: number
  refunds: number
}

const sumsOf = (row: SumsRow): OrderSums => ({
  buyers: row.buyers,
  orders: row.orders,
  revenue: row.revenue,
  cappedRevenue: row.capped_revenue,
  cappedRevenueSquares: row.capped_revenue_squares,
  orderSquares: row.order_squares,
  cappedRevenueOrders: row.capped_revenue_orders,
})

/** The sums of no orders. */
export const noOrderSums: OrderSums = {
  buyers: 0,
  orders: 0,
  revenue: 0,
  cappedRevenue: 0,
  cappedRevenueSquares: 0,
  orderSquares: 0,
  cappedRevenueOrders: 0,
}
const botsOf = (rows: BotRow[], arm: ArmIndex): OrderSums => {
  const row = rows.find(r => r.arm === arm)
  return row ? sumsOf(row) : { ...noOrderSums }
}

/** The sums of a test's orders as SQL gives them, with each part as JSON. */
export type FiguresRow = {
  ways: WayRow[]
  days: DayRow[]
  reasons: ReasonRow[]
  cells: CellRow[]
  bots: BotRow[]
  products: ProductOrders[]
}
/** All sums of a test's orders, with those by cell of the cube and by product. */
export type AllOrderFigures = OrderFigures & { cells: OrderCell[]; products: ProductOrders[] }

/**
 * Reads every order of the shop in the half-open time from `from` to `to` (null: no end). Returns
 * which orders count in an arm, which are left out and why, and what they add to each day, to each
 * cell of the cube and to each product. The sums that are kept (order-fold.ts) are compared with
 * these.
 */
export async function orderFigures(
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
  from: Date,
  to: Date | null,
): Promise<AllOrderFigures> {
  const [row] = await query<FiguresRow>(on, figures, [storeId, testId, from, to ?? 'infinity'])
  return { ...figuresOf(row!), cells: row!.cells.map(cellOf), products: row!.products }
}

/** The figures of a row without its cells and products. */
export function figuresOf({
  ways,
  days,
  reasons,
  bots,
}: Pick<FiguresRow, 'ways' | 'days' | 'reasons' | 'bots'>): OrderFigures {
  return {
    days: days.map(day => ({ day: day.day, arm: day.arm, ...sumsOf(day) })),
    ledger: ledgerOf(reasons, ways),
    orderCap: days[0]?.cap ?? null,
    cappedOrders: days.reduce((sum, day) => sum + day.capped_orders, 0),
    bots: [botsOf(bots, 0), botsOf(bots, 1)],
  }
}

export const cellOf = (cell: CellRow): OrderCell => ({
  referrer: cell.referrer,
  country: cell.country,
  arm: cell.arm,
  device: cell.device,
  channel: cell.channel,
  isNew: cell.is_new,
  type: cell.type,
  units: cell.units,
  ...sumsOf(cell),
})

type Line = Ledger['total']
const noOrders = (): Line => ({ orders: 0, amount: 0, refunds: 0 })

function ledgerOf(rows: ReasonRow[], known: WayRow[]): Ledger {
  const arms: PerArm<Line> = [noOrders(), noOrders()],
    total = noOrders()
  const excluded = exclusions.map(reason => ({ reason, ...noOrders() }))
  for (const row of rows)
    for (const line of [
      row.reason === null ? arms[row.arm!] : excluded.find(e => e.reason === row.reason)!,
      total,
    ]) {
      line.orders += row.orders
      line.amount += row.amount
      line.refunds += row.refunds
    }
  const ways = orderWays.map(way => known.find(found => found.way === way) ?? { way, orders: 0 })
  return { arms, excluded, total, ...(known.length > 0 && { ways }) }
}
