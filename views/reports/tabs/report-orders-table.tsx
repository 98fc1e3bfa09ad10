import { lostWords } from '../../../domain/orders/order-visitor.ts'
import { channelLabels } from '../../../domain/events/channel.ts'
import { deviceLabels } from '../../../domain/device.ts'
import { whyLeftOut } from '../../../domain/tests/exclusion-words.ts'
import { formatCount, formatDate, formatMoment, formatTime } from '../../../domain/figures.ts'
import { formatMoney } from '../../../domain/money.ts'
import { type Orders, type OrdersState, partTitle, type Zone } from './report-orders-part.ts'

type Order = Orders['rows'][number]

/** One page of orders: where each counts, who bought, and the amounts. */
export function OrdersTable({
  state,
  orders: { rows, count, total },
  store,
  showsTypes,
}: {
  state: OrdersState
  orders: Orders
  store: Zone
  showsTypes: boolean
}) {
  const money = (amount: number) => formatMoney(amount, store.currency)
  // The plan may not open the type of orders. Then no order has one.
  const hasTypes = rows.some(({ type }) => type !== null)
  return (
    <div class="table-scroll">
      <table class="table orders-table">
        <caption class="visually-hidden">{partTitle(state.part, showsTypes)}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Order</th>
            {hasTypes && <th scope="col">Type</th>}
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
              {hasTypes && <td>{order.type && typeWords[order.type]}</td>}
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
                <td colSpan={hasTypes ? 6 : 5}>
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
            <th scope="row" colSpan={hasTypes ? 4 : 3}>
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

/** Counts items, not lines: two mugs are two items. */
function itemsOf({ lines }: Order): string {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return count === 1 ? '1 item' : `${formatCount(count)} items`
}

const typeWords: Record<NonNullable<Order['type']>, string> = {
  oneTime: 'One-time',
  subscription: 'First subscription',
  renewal: 'Renewal',
}
const moment = (at: string, timeZone: string) =>
  `${formatDate(at, timeZone)}, ${formatTime(at, timeZone)}`

/** The arm in which the order counts, or the reason why it counts in none. */
function place({ arm, reason, lost, visitor, createdAt }: Order, timeZone: string) {
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
    noConsent: lost === 'disputed' ? lostWords[lost] : null,
    expressCheckout: lost && lostWords[lost],
    attributeCleared: lost && lostWords[lost],
    renewal: 'Happens on its own; only first orders are conversions',
    paused: 'Everyone saw the original then',
    network: 'Far more new visitors came from it than is usual',
  }
  return (
    <>
      No arm: {whyLeftOut(reason, { showsTypes: true, place: 'ledger' })}
      {reason && details[reason] && <span class="cell-sub orders-why">{details[reason]}</span>}
    </>
  )
}

function who({ visitor, way }: Order) {
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
      {way === 'pixel' && <span class="cell-sub">Known by the checkout pixel</span>}
    </>
  )
}
