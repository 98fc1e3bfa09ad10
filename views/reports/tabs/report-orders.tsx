import type { Test } from '../../../domain/tests/ab-test.ts'
import { formatCount } from '../../../domain/figures.ts'
import { paths } from '../../../domain/paths.ts'
import { Icon } from '../../icons.tsx'
import { Close } from '../../modal.tsx'
import { swaps } from '../../list-links.tsx'
import {
  ordersPath,
  ordersPerPage,
  overviewPath,
  overviewQuery,
  type Overview,
} from '../report-links.ts'
import { type Orders, type OrdersState, partTitle, type Zone } from './report-orders-part.ts'
import { OrdersTable } from './report-orders-table.tsx'

type Asked = {
  test: Pick<Test, 'id' | 'goal'>
  state: OrdersState
  orders: Orders
  /** The overview below the dialog, which stays as it is. */ shown?: Overview | undefined
}
type OrdersProps = Asked & {
  store: Zone
  carried?: Record<string, string>
  /** Whether the plan opens the types of orders. */
  showsTypes?: boolean
}

const list = 'ledger-orders'

/**
 * A dialog over the report with the orders behind a line of the ledger. Its total is the ledger's.
 */
export function TestOrders({
  test,
  state,
  orders,
  shown = { goal: test.goal, metric: null },
  store,
  carried = {},
  showsTypes = true,
}: OrdersProps) {
  const path = paths.report(test.id),
    inPlace = {
      'hx-target': `#${list}`,
      'hx-select': `#${list}`,
      'hx-swap': 'outerHTML show:none',
      'hx-sync': `#${list}:replace`,
    }
  return (
    <dialog id="test-orders" aria-labelledby="orders-title" open>
      <div class="modal orders-modal">
        <h2 id="orders-title" tabIndex={-1} autofocus>
          {partTitle(state.part, showsTypes)}
        </h2>
        <search aria-label="Orders">
          <form
            class="toolbar"
            action={path}
            hx-get={path}
            hx-trigger="submit"
            hx-push-url="true"
            {...inPlace}
          >
            {Object.entries({
              ...carried,
              ...Object.fromEntries(overviewQuery(test, shown)),
              ask: 'orders',
              part: state.part,
            }).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <label class="search-field">
              <span class="visually-hidden">Search by order number</span>
              <Icon name="search" />
              <input
                type="search"
                id="search-orders"
                name="search"
                value={state.search}
                placeholder="Order number"
                maxLength={100}
                autocomplete="off"
                hx-get={path}
                hx-trigger="input delay:250ms"
                hx-include="closest form"
                hx-push-url="true"
                {...inPlace}
              />
            </label>
          </form>
        </search>
        <div id={list} {...swaps(`#${list}`)}>
          {orders.rows.length === 0 ? (
            <p class="orders-none">
              {!orders.isKept
                ? 'The orders of this test are no longer kept one by one. Their totals stay in the report.'
                : state.search
                  ? `No order here begins with “${state.search}”.`
                  : 'There are no orders in this line.'}
            </p>
          ) : (
            <OrdersTable state={state} orders={orders} store={store} showsTypes={showsTypes} />
          )}
          {orders.count > 0 && <Turns test={test} state={state} orders={orders} shown={shown} />}
        </div>
        <footer>
          {orders.isKept && (
            <a class="button quiet" href={paths.testExport(test.id, 'orders')} download>
              <Icon name="download" />
              Download all orders (CSV)
            </a>
          )}
          <Close href={`${overviewPath(test, shown)}#ledger`}>Close</Close>
        </footer>
      </div>
    </dialog>
  )
}

function Turns({ test, state, orders: { rows, count }, shown }: Asked) {
  const pages = Math.ceil(count / ordersPerPage),
    first = state.page * ordersPerPage
  const turn = (to: number, label: string, icon: 'back' | 'next') =>
    to < 0 || to >= pages ? (
      <a
        class="button secondary small icon-only"
        role="link"
        aria-disabled="true"
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    ) : (
      <a
        class="button secondary small icon-only"
        id={`orders-${icon}`}
        href={ordersPath(test, { ...state, page: to }, shown)}
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    )
  return (
    <div class="card-foot orders-foot">
      <span>
        {formatCount(first + 1)}–{formatCount(first + rows.length)} of {formatCount(count)}, newest
        first
      </span>
      {pages > 1 && (
        <nav class="pager card-foot-end" aria-label="Pages of orders">
          <span>
            Page {formatCount(state.page + 1)} of {formatCount(pages)}
          </span>
          {turn(state.page - 1, 'Previous page', 'back')}
          {turn(state.page + 1, 'Next page', 'next')}
        </nav>
      )}
    </div>
  )
}
