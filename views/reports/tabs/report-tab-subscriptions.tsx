import type { BreakdownRow } from '../../../domain/reports/breakdown.ts'
import { formatCount, formatRate } from '../../../domain/figures.ts'
import { formatMoney } from '../../../domain/money.ts'
import { partsAreHints } from '../../../domain/reports/part-words.ts'
import {
  subscriptionFigureNames,
  type SubscriptionCounts,
  type SubscriptionFigureName,
  type SubscriptionFigures,
} from '../../../domain/reports/subscription-figures.ts'
import { notCompared } from '../../../domain/reports/uncompared.ts'
import { focusable, Lack } from './report-breakdown-table.tsx'
import { gateNote } from './report-breakdown-empty.tsx'
import { Lift } from '../../result.tsx'

type Look = {
  label: string
  about: string
  format: (value: number, currency: string) => string
  of: (counts: SubscriptionCounts, currency: string) => string
}
const first = (orders: number) =>
  `${formatCount(orders)} first ${orders === 1 ? 'order' : 'orders'}`
const visitors = (count: number) => `${formatCount(count)} ${count === 1 ? 'visitor' : 'visitors'}`
const looks: Record<SubscriptionFigureName, Look> = {
  conversionRate: {
    label: 'Subscription conversion rate',
    about: 'First orders of a subscription per visitor',
    format: value => formatRate(value),
    of: counts => `${first(counts.orders)} of ${visitors(counts.visitors)}`,
  },
  revenuePerVisitor: {
    label: 'Subscription revenue per visitor',
    about: 'Revenue of first subscription orders, divided by all visitors',
    format: formatMoney,
    of: (counts, currency) =>
      `${formatMoney(counts.revenue, currency)} of ${visitors(counts.visitors)}`,
  },
  shareOfOrders: {
    label: 'Orders with a subscription',
    about: 'First orders of a subscription as a share of all orders that count, without renewals',
    format: value => formatRate(value),
    of: counts => `${formatCount(counts.orders)} of ${formatCount(counts.allOrders)} orders`,
  },
  orderValue: {
    label: 'Subscription order value',
    about: 'Average value of the first order of a subscription',
    format: formatMoney,
    of: (counts, currency) => `${formatMoney(counts.revenue, currency)} in ${first(counts.orders)}`,
  },
  unitsPerOrder: {
    label: 'Units per subscription order',
    about: 'Items in the first order of a subscription, on average',
    format: value => value.toFixed(2),
    of: counts => `${formatCount(counts.units)} in ${first(counts.orders)}`,
  },
}

/** The five figures of subscriptions, arm beside arm. */
export function SubscriptionCard({
  figures: { counts, missing, figures },
  currency,
  isSplitBroken,
}: {
  figures: SubscriptionFigures
  currency: string
  isSplitBroken: boolean
}) {
  return (
    <section class="card" aria-labelledby="subscriptions">
      <div class="card-head">
        <h2 id="subscriptions">Subscriptions</h2>
        <span class="note">First orders of a subscription, without renewals</span>
      </div>
      <div class="table-scroll" {...focusable('subscriptions')}>
        <table class="table subscription-table">
          <caption class="visually-hidden">Subscriptions, control and variant</caption>
          <thead>
            <tr>
              <th scope="col" class="col-name">
                Figure
              </th>
              <th scope="col" class="num">
                <span class="arm">
                  <span class="arm-mark arm-mark-control" />
                  Control
                </span>
              </th>
              <th scope="col" class="num">
                <span class="arm">
                  <span class="arm-mark" />
                  Variant
                </span>
              </th>
              <th scope="col" class="num">
                <abbr title="By how much the variant differs from control">Difference</abbr>
              </th>
            </tr>
          </thead>
          <tbody>
            {subscriptionFigureNames.map(name => {
              const { label, about, format, of } = looks[name],
                { arms, difference } = figures[name]
              return (
                <tr key={name}>
                  <th scope="row" class="col-name">
                    <abbr title={about}>{label}</abbr>
                  </th>
                  {arms.map((value, arm) => (
                    <td key={arm} class="num">
                      {value === null ? '–' : format(value, currency)}
                      <span class="cell-sub">{of(counts[arm]!, currency)}</span>
                    </td>
                  ))}
                  <td class="num">
                    {missing && !isSplitBroken ? (
                      <Lack missing={missing} thing="order" />
                    ) : (
                      <Lift value={isSplitBroken ? null : difference} tone="neutral" />
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <footer class="card-foot">
        <span class="breakdown-note">
          {isSplitBroken
            ? `${notCompared}.`
            : `${partsAreHints} ${gateNote('A figure', 'first orders of a subscription')}`}
        </span>
      </footer>
    </section>
  )
}

/**
 * Renewals come by themselves. They have their own card, so that nobody takes them for an effect of
 * the test.
 */
export function RenewalsCard({
  renewal,
  currency,
}: {
  renewal: Pick<BreakdownRow, 'arms'> | undefined
  currency: string
}) {
  return (
    <section class="card" aria-labelledby="renewals">
      <div class="card-head">
        <h2 id="renewals">Renewals</h2>
      </div>
      <div class="card-body">
        <p>
          Renewals happen on their own, so they are not conversions: neither the figures above nor
          the test’s results count them.{!renewal && ' No visitor of this test has renewed so far.'}
        </p>
      </div>
      {renewal && (
        <div class="table-scroll" {...focusable('renewals')}>
          <table class="table">
            <caption class="visually-hidden">Renewals, control and variant</caption>
            <thead>
              <tr>
                <th scope="col">Arm</th>
                <th scope="col" class="num">
                  Orders
                </th>
                <th scope="col" class="num">
                  Units
                </th>
                <th scope="col" class="num">
                  Revenue
                </th>
                <th scope="col" class="num">
                  <abbr title="Average value of a renewal">Order value</abbr>
                </th>
              </tr>
            </thead>
            <tbody>
              {renewal.arms.map(({ orders, units, revenue, averageOrderValue }, arm) => (
                <tr key={arm}>
                  <th scope="row">
                    <span class="arm">
                      <span class={arm === 0 ? 'arm-mark arm-mark-control' : 'arm-mark'} />
                      {arm === 0 ? 'Control' : 'Variant'}
                    </span>
                  </th>
                  <td class="num">{formatCount(orders)}</td>
                  <td class="num">{formatCount(units)}</td>
                  <td class="num">{formatMoney(revenue, currency)}</td>
                  <td class="num">
                    {averageOrderValue === null ? '–' : formatMoney(averageOrderValue, currency)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
