import { day } from '../time-units.ts'
import type { Capabilities } from './capabilities.ts'

/**
 * From when on we can still read the store's orders. Null when all of them can be read.
 */
export const ordersFrom = ({ orderDays }: Capabilities, now: Date): Date | null =>
  orderDays === null ? null : new Date(now.getTime() - orderDays * day)

/**
 * What a merchant must know when a period began before the orders that we can still read; null
 * otherwise. Orders that reached us in time are counted all the same.
 */
export function orderWindowWords(store: Capabilities, since: Date, now: Date): string | null {
  const from = ordersFrom(store, now)
  return from && since < from
    ? `Your shop lets us read the orders of the last ${store.orderDays} days. Orders from before that count if your shop reported them in time; we cannot look for others.`
    : null
}
