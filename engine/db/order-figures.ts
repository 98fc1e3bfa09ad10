import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import type { DayTotals, Ledger } from '../../domain/reports/summary.ts'

/** The part of a day's totals that orders make (definitions at DayTotals). */
export type OrderSums = Pick<
  DayTotals,
  | 'buyers'
  | 'orders'
  | 'revenue'
  | 'cappedRevenue'
  | 'cappedRevenueSquares'
  | 'orderSquares'
  | 'cappedRevenueOrders'
>
export type OrderDay = OrderSums & Pick<DayTotals, 'day' | 'arm'>
/** What orders add to a cell of the cube (migrations 0006 and 0016): a type of order, or '' for one-time and subscription together. */
export type OrderCell = OrderSums & {
  referrer: string
  country: string
  arm: ArmIndex
  device: number
  channel: number
  isNew: boolean
  type: string
  /** Pieces in these orders. Of a type they are all pieces of its orders, as revenue is: an order with one line on subscription is a subscription order as a whole. */
  units: number
}
export type OrderFigures = {
  days: OrderDay[]
  ledger: Ledger
  orderCap: number | null
  cappedOrders: number
  /** What the orders of flagged bots would add to each arm were they shoppers, by the same cap. */
  bots: PerArm<OrderSums>
}
