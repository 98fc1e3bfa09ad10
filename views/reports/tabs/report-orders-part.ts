import type { Output } from '../../../domain/api/contract.ts'
import { whyLeftOut } from '../../../domain/tests/exclusion-words.ts'
import type { LedgerPart } from '../report-links.ts'

/** Which orders the dialog shows: a line of the ledger, a page and a search. */
export type OrdersState = {
  part: LedgerPart
  /** From 0, as the API counts. */ page: number
  search: string
}

/** One page of orders, and the totals of the whole line. */
export type Orders = Output<'testOrders'>

/** How the store writes amounts and times. */
export type Zone = { currency: string; timeZone: string }

/**
 * The heading of a line of the ledger. `showsTypes`: whether the plan opens the types of orders.
 */
export const partTitle = (part: LedgerPart, showsTypes: boolean): string =>
  part === 'all'
    ? 'All orders of the shop during the test'
    : part === 'control'
      ? 'Orders in the control arm'
      : part === 'variant'
        ? 'Orders in the variant arm'
        : `Left out: ${whyLeftOut(part, { showsTypes, place: 'ledger' })}`
