import type { TestSummary } from '../../domain/reports/summary.ts'
import { formatCount } from '../../domain/figures.ts'
import { formatMoney } from '../../domain/money.ts'

/**
 * Below a mean amount: the mean with capped orders, from which the lift was computed
 * (docs/statistics.md, "Order cap"). Nothing when no order was capped.
 */
export const Capped = ({
  value,
  inferred,
  currency,
}: {
  value: number | null
  inferred: number | null
  currency: string
}) =>
  inferred === null || inferred === value ? null : (
    <span class="cell-sub capped">{formatMoney(inferred, currency)} capped</span>
  )

/** How many orders of the whole test were capped, and at what; null when none was. */
export function capNote(
  {
    summary: { cappedOrders, orderCap },
  }: { summary: Pick<TestSummary, 'cappedOrders' | 'orderCap'> },
  currency: string,
  where = '',
): string | null {
  if (orderCap === null || cappedOrders === 0) return null
  return `For the lift, ${cappedOrders === 1 ? '1 order was' : `${formatCount(cappedOrders)} orders were`} capped at ${formatMoney(orderCap, currency)}${where}.`
}
