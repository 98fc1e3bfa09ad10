import type { ComponentChildren } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import { whyLeftOut } from '../../domain/tests/exclusion-words.ts'
import { formatCount, formatDate, formatRate } from '../../domain/figures.ts'
import { formatMoney } from '../../domain/money.ts'
import { wayWords } from '../../domain/orders/order-visitor.ts'
import { paths } from '../../domain/paths.ts'
import { ledgerGap } from '../../domain/reports/stage-check.ts'
import { passed, type Outcome } from './report-check.tsx'
import { ordersPath, type LedgerPart, type Overview } from './report-links.ts'

const noOrders: Outcome = { tone: 'neutral', words: 'Waiting for orders' }

export function ledgerOutcome({ summary: { ledger } }: Test, currency: string): Outcome {
  const gap = ledgerGap(ledger)
  if (gap.orders !== 0 || gap.amount !== 0 || gap.refunds !== 0)
    return {
      tone: 'bad',
      words: `Off by ${formatCount(Math.abs(gap.orders))} orders, ${formatMoney(Math.abs(gap.amount), currency)}`,
    }
  return ledger.total.orders === 0 ? noOrders : passed('Adds up to the cent')
}

/**
 * Every order of the shop while the test ran: in an arm, or left out and why. Each line leads to
 * its orders.
 */
export function Ledger({
  test,
  store: { currency, timeZone },
  shown,
  showsTypes,
}: {
  test: Test
  store: { currency: string; timeZone: string }
  shown?: Overview | undefined
  showsTypes: boolean
}) {
  const { arms, excluded, total } = test.summary.ledger
  type LineFigures = typeof total
  const cells = ({ orders, amount, refunds }: LineFigures) => (
    <>
      <td class="num">{formatCount(orders)}</td>
      <td class="num">{formatMoney(amount, currency)}</td>
      <td class="num">{refunds === 0 ? '–' : formatMoney(refunds, currency)}</td>
    </>
  )
  const line = (part: LedgerPart, { orders }: LineFigures, name: ComponentChildren) => (
    <th scope="row">
      {orders === 0 ? (
        name
      ) : (
        <a class="ledger-line" id={`ledger-${part}`} href={ordersPath(test, { part }, shown)}>
          {name}
        </a>
      )}
    </th>
  )
  return (
    <>
      <div class="table-scroll">
        <table class="table ledger-table">
          <thead>
            <tr>
              <th scope="col">{test.isImported ? 'Orders of the file' : 'Orders of the shop'}</th>
              <th scope="col" class="num">
                Orders
              </th>
              <th scope="col" class="num">
                Amount
              </th>
              <th scope="col" class="num">
                <abbr title="Paid back since then. Refunded orders stay in their line and keep their full amount.">
                  Refunds
                </abbr>
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              {line('control', arms[0], 'Control arm')}
              {cells(arms[0])}
            </tr>
            <tr>
              {line('variant', arms[1], 'Variant arm')}
              {cells(arms[1])}
            </tr>
            {excluded
              .filter(({ orders }) => orders > 0)
              .map(each => (
                <tr key={each.reason} class="ledger-part">
                  {line(
                    each.reason,
                    each,
                    `Left out: ${whyLeftOut(each.reason, { showsTypes, place: 'ledger' })}`,
                  )}
                  {cells(each)}
                </tr>
              ))}
          </tbody>
          <tfoot>
            <tr>
              {line(
                'all',
                total,
                `${test.isImported ? 'Total of the file' : 'Shop’s own total'}, ${span(test, timeZone)}`,
              )}
              {cells(total)}
            </tr>
          </tfoot>
        </table>
      </div>
      <Ways ledger={test.summary.ledger} />
      {!test.isImported && (
        <p class="note screen-only">
          <a href={`${paths.help()}#why-figures-differ`} target="_blank" rel="noopener">
            Why figures differ from your shop’s own report
            <span class="visually-hidden">, opens in a new tab</span>
          </a>
        </p>
      )}
    </>
  )
}

/** How the visitors of the orders are known, in shares. Nothing is said without orders. */
function Ways({ ledger: { ways, total } }: { ledger: Test['summary']['ledger'] }) {
  if (!ways || total.orders === 0) return null
  const shares = ways
    .filter(({ orders }) => orders > 0)
    .map(({ way, orders }) => `${wayWords[way]} ${formatRate(orders / total.orders, 1)}`)
  return (
    <p class="note" id="ledger-ways">
      How we know each order’s visitor: {shares.join(', ')}. The order list says it for each order.
    </p>
  )
}

function span({ startAt, endedAt, summary }: Test, zone: string): string {
  if (!startAt) return 'not started'
  const until = endedAt ?? summary.updatedAt,
    isLong = startAt.slice(0, 4) !== until.slice(0, 4)
  const from = formatDate(startAt, zone, isLong),
    to = formatDate(until, zone)
  return formatDate(startAt, zone) === to ? to : `${from} to ${to}`
}
