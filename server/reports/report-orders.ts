import { h } from 'preact'
import { exclusions } from '../../domain/reports/summary.ts'
import type { OpenDialog } from '../../views/reports/report-head.tsx'
import { ordersPerPage, type LedgerPart } from '../../views/reports/report-links.ts'
import { TestOrders } from '../../views/reports/tabs/report-orders.tsx'
import type { OrdersState } from '../../views/reports/tabs/report-orders-part.ts'
import type { Asked } from './report-asks.ts'

const parts: readonly LedgerPart[] = ['all', 'control', 'variant', ...exclusions]

/**
 * The dialog with the orders behind a line of a test's ledger. Invalid values in the address count
 * as the defaults.
 */
export async function ordersDialog({
  api,
  test,
  query,
  store,
  carried,
  showsTypes,
  shown,
}: Asked): Promise<OpenDialog> {
  const asked = stateOf(query)
  const ask = ({ part, page, search }: OrdersState) =>
    api.testOrders({
      params: { id: test.id },
      query: { part, page, pageSize: ordersPerPage, ...(search && { search }) },
    })
  const found = await ask(asked)
  // The page is beyond the end: someone typed it, or the line has fewer orders now. Show the first
  // page.
  const isBeyond = found.rows.length === 0 && found.count > 0
  const state = isBeyond ? { ...asked, page: 0 } : asked
  return {
    name: 'orders',
    view: h(TestOrders, {
      test,
      state,
      store,
      carried,
      showsTypes,
      shown,
      orders: isBeyond ? await ask(state) : found,
    }),
  }
}

function stateOf(query: URLSearchParams): OrdersState {
  const page = query.get('page') ?? ''
  return {
    part: parts.find(name => name === query.get('part')) ?? 'all',
    page: /^\d{1,6}$/.test(page) ? Number(page) : 0,
    search: (query.get('search') ?? '').trim().slice(0, 100),
  }
}
