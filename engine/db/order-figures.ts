import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import type { DayTotals, Ledger } from '../../domain/reports/summary.ts'

/** The part of a day's totals that comes from orders (DayTotals has the definitions). */
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
/**
 * What orders add to a cell of the cube (migrations 0006 and 0016). `type` is a type of order, or
 * '' for one-time and subscription orders together.
 */
export type OrderCell = OrderSums & {
  referrer: string
  country: string
  arm: ArmIndex
  device: number
  channel: number
  isNew: boolean
  type: string
  /**
   * Number of pieces in these orders. All pieces and all revenue of an order count for its type: an
   * order with one subscription line is a subscription order as a whole.
   */
  units: number
}
export type OrderFigures = {
  days: OrderDay[]
  ledger: Ledger
  orderCap: number | null
  cappedOrders: number
  /**
   * What the orders of flagged bots would add to each arm if they were shoppers, with the same cap.
   */
  bots: PerArm<OrderSums>
}
