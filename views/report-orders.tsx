import type { Test } from '../domain/ab-test.ts'
import { channelLabels } from '../domain/channel.ts'
import type { Output } from '../domain/contract.ts'
import { deviceLabels } from '../domain/device.ts'
import { exclusionWords } from '../domain/exclusion-words.ts'
import { formatCount, formatDate, formatMoment, formatTime } from '../domain/figures.ts'
import { formatMoney } from '../domain/money.ts'
import { paths } from '../domain/paths.ts'
import { Icon } from './icons.tsx'
import { swaps } from './list-links.tsx'
import {
  ordersFields,
  ordersPath,
  ordersPerPage,
  overviewQuery,
  type LedgerPart,
  type Overview,
} from './report-links.ts'

export type OrdersState = {
  part: LedgerPart
  /** From 0, as the API counts. */ page: number
  search: string
}
type Orders = Output<'testOrders'>
type Order = Orders['rows'][number]
type Zone = { currency: string; timeZone: string }
type Asked = {
  test: Pick<Test, 'id' | 'goal'>
  state: OrdersState
  orders: Orders
  /** The overview under it, which stays so. */ shown?: Overview | undefined
}
type OrdersProps = Asked & { store: Zone; carried?: Record<string, string> }

const list = 'ledger-orders'
const partTitle = (part: LedgerPart): string =>
  part === 'all'
    ? 'All orders of the shop during the test'
    : part === 'control'
      ? 'Orders in the control arm'
      : part === 'variant'
        ? 'Orders in the variant arm'
        : `Left out: ${exclusionWords[part]}`

/** The orders behind a line of the ledger, over the report. Its total is the ledger's. */
export function TestOrders({
  test,
  state,
  orders,
  shown = { goal: test.goal, metric: null },
  store,
  carried = {},
}: OrdersProps) {
  const path = paths.report(test.id),
    inPlace = {
      'hx-target': `#${list}`,
      'hx-select': `#${list}`,
      'hx-swap': 'outerHTML show:none',
      'hx-sync': `#${list}:replace`,
    }
  return (
    <dialog id="test-orders" aria-labelledby="orders-title" data-asks={ordersFields.join(' ')} open>
      <div class="modal orders-modal">
        <h2 id="orders-title" tabIndex={-1} autofocus>
          {partTitle(state.part)}
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
            <OrdersTable state={state} orders={orders} store={store} />
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
          <button class="secondary" type="button" command="close" commandfor="test-orders">
            Close
          </button>
        </footer>
      </div>
    </dialog>
  )
}

function OrdersTable({
  state,
  orders: { rows, count, total },
  store,
}: {
  state: OrdersState
  orders: Orders
  store: Zone
}) {
  const money = (amount: number) => formatMoney(amount, store.currency)
  return (
    <div class="table-scroll">
      <table class="table orders-table">
        <caption class="visually-hidden">{partTitle(state.part)}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Order</th>
            <th scope="col">Type</th>
            <th scope="col">Counts in</th>
            <th scope="col">Visitor</th>
            <th scope="col" class="num">
              Amount
            </th>
            <th scope="col" class="num">
              Refunded
            </th>
          </tr>
        </thead>
        {rows.map(order => (
          <tbody key={order.id}>
            <tr>
              <th scope="row">
                {order.address === null ? (
                  order.name || order.id
                ) : (
                  <a href={order.address} target="_blank" rel="noopener">
                    {order.name || order.id}
                    <span class="visually-hidden"> in your shop’s admin, opens in a new tab</span>
                  </a>
                )}
                <span class="cell-sub">{moment(order.createdAt, store.timeZone)}</span>
              </th>
              <td>{typeWords[order.type]}</td>
              <td>{place(order, store.timeZone)}</td>
              <td>{who(order)}</td>
              <td class="num">{money(order.amount)}</td>
              <td class="num">
                {order.refunded === 0 ? (
                  '–'
                ) : (
                  <>
                    {money(order.refunded)}
                    {order.refunded > order.amount && (
                      <span class="cell-sub">more than the order</span>
                    )}
                  </>
                )}
              </td>
            </tr>
            {order.lines.length > 0 && (
              <tr class="orders-lines">
                <td colSpan={6}>
                  <details>
                    <summary>{itemsOf(order)}</summary>
                    <ul>
                      {order.lines.map((line, i) => (
                        <li key={i}>
                          {formatCount(line.quantity)} × {line.title}
                          {line.isSubscription && ' (subscription)'}
                          <span class="num">{money(line.amount)}</span>
                        </li>
                      ))}
                    </ul>
                  </details>
                </td>
              </tr>
            )}
          </tbody>
        ))}
        <tfoot>
          <tr>
            <th scope="row" colSpan={4}>
              {count === 1 ? '1 order' : `${formatCount(count)} orders`}
              {state.search && ` that begin with “${state.search}”`}
            </th>
            <td class="num">{money(total.amount)}</td>
            <td class="num">{total.refunds === 0 ? '–' : money(total.refunds)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** Pieces, not lines: two mugs are two items. */
function itemsOf({ lines }: Order): string {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return count === 1 ? '1 item' : `${formatCount(count)} items`
}

const typeWords: Record<Order['type'], string> = {
  oneTime: 'One-time',
  subscription: 'First subscription',
  renewal: 'Renewal',
}
const moment = (at: string, timeZone: string) =>
  `${formatDate(at, timeZone)}, ${formatTime(at, timeZone)}`

/** The arm it counts in, or in plain words why in none. */
function place({ arm, reason, visitor, createdAt }: Order, timeZone: string) {
  const short = (at: string) =>
    at.slice(0, 4) === createdAt.slice(0, 4) ? formatMoment(at, timeZone) : moment(at, timeZone)
  if (arm !== null)
    return (
      <>
        <span class="arm">
          <span class={arm === 0 ? 'arm-mark arm-mark-control' : 'arm-mark'} />
          {arm === 0 ? 'Control' : 'Variant'}
        </span>
        {visitor?.firstExposedAt && (
          <span class="cell-sub">Saw the test {short(visitor.firstExposedAt)}</span>
        )}
      </>
    )
  const met = visitor?.firstExposedAt ? short(visitor.firstExposedAt) : null
  const details: Record<NonNullable<Order['reason']>, string | null> = {
    noExposure: 'The buyer never saw a tested page',
    beforeExposure: met && `Saw the test on ${met}, ordered on ${short(createdAt)}`,
    bothArms: 'The buyer was seen in both arms',
    bot: 'The buyer looks like a bot',
    testOrder: 'The shop marked it as a test',
    noConsent: null,
    renewal: 'Happens on its own; only first orders are conversions',
    paused: 'Everyone saw the original then',
    network: 'Far more new visitors came from it than is usual',
  }
  return (
    <>
      No arm: {reason ? exclusionWords[reason] : 'reason unknown'}
      {reason && details[reason] && <span class="cell-sub orders-why">{details[reason]}</span>}
    </>
  )
}

function who({ visitor }: Order) {
  if (!visitor) return <span class="muted">Not known</span>
  const { device, channel, isNew, country } = visitor
  const browser = [
    device && deviceLabels[device],
    isNew === null ? null : isNew ? 'new' : 'returning',
  ]
    .filter(Boolean)
    .join(', ')
  const from = [channel && channelLabels[channel], country].filter(Boolean).join(', ')
  return (
    <>
      {browser || <span class="muted">Not known</span>}
      {from && <span class="cell-sub">{from}</span>}
    </>
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
