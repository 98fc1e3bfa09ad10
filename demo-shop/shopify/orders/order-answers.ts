import { GraphQLError } from 'graphql'
import { day } from '../../../domain/time-units.ts'
import { type Order, taxesOf, taxIn } from '../../orders/order.ts'
import { shownOrder } from '../../pages/shown.ts'
import { shop } from '../../shop.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { counted, sorted } from '../api/lists.ts'
import { searchFor } from '../api/search-query.ts'
import { gives } from '../app/face-settings.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { customerAnswer, customerNumber } from './customer-answer.ts'
import { lineAnswer, type LineSources } from './line-answers.ts'
import { moneyBag } from '../api/money.ts'
import { refundAnswer } from './refund-answers.ts'

/** Days of orders that an app may read without `read_all_orders`. */
const shownDays = 60

/** Orders, their lines, refunds and customers. Amounts of the buyer are those that they paid. */
export function orderAnswers(parts: FaceParts, sources: LineSources) {
  const { state, settings } = parts
  const { orders, clock } = state
  /** Whether an order is new enough for the app, as things are now. */
  const shownNow = (): ((order: Order) => boolean) => {
    const from = clock().getTime() - shownDays * day
    return gives(settings.current().scopes, 'read_all_orders')
      ? () => true
      : ({ createdAt }) => Date.parse(createdAt) >= from
  }

  const answerOf = (order: Order): object => {
    const { code } = order.presentment
    const shown = shownOrder(order),
      taxes = taxesOf(order)
    const bag = (own: number, paid: number) => moneyBag(own, paid, code)
    const off = order.lines.reduce(
      (sum, { discount }) => ({
        own: sum.own + (discount?.amount ?? 0),
        paid: sum.paid + (discount?.shown ?? 0),
      }),
      { own: 0, paid: 0 },
    )
    const paidTax = shown.lines.reduce((sum, { amount }) => sum + taxIn(amount, order.tax_rate), 0)
    const total = {
      own: order.subtotal + order.shipping,
      paid: shown.subtotal + shown.shipping,
    }
    const line = (at: number): object => lineAnswer(order, at, sources)
    const current = {
      own: order.cancelledAt === null ? order.subtotal - order.refunded : 0,
      paid: order.cancelledAt === null ? shown.subtotal - shown.refunded : 0,
    }
    return {
      __typename: 'Order',
      id: gid('Order', order.number),
      legacyResourceId: String(order.number),
      name: `#${order.number}`,
      number: order.number,
      createdAt: order.createdAt,
      processedAt: order.createdAt,
      updatedAt: order.updatedAt,
      cancelledAt: order.cancelledAt,
      cancelReason: order.cancelledAt === null ? null : 'STAFF',
      test: order.isTest,
      confirmed: true,
      note: order.note || null,
      tags: [],
      currencyCode: shop.currency,
      presentmentCurrencyCode: code,
      taxesIncluded: order.tax_rate > 0,
      // The platform's name for it since October 2025.
      sourceName: order.type === 'renewal' ? 'subscription_contract_checkout_one' : 'web',
      customAttributes: Object.entries(order.attributes).map(([key, value]) => ({ key, value })),
      customer: () => customerAnswer(order.customer, orders, answerOf),
      email: order.customer.email,
      phone: null,
      displayFinancialStatus:
        order.cancelledAt !== null
          ? 'VOIDED'
          : order.refunded === 0
            ? 'PAID'
            : order.refunded === order.subtotal
              ? 'REFUNDED'
              : 'PARTIALLY_REFUNDED',
      subtotalPriceSet: bag(order.subtotal, shown.subtotal),
      currentSubtotalPriceSet: bag(current.own, current.paid),
      totalPriceSet: bag(total.own, total.paid),
      totalShippingPriceSet: bag(order.shipping, shown.shipping),
      totalTaxSet: bag(taxes.tax, paidTax),
      totalDiscountsSet: bag(off.own, off.paid),
      totalRefundedSet: bag(order.refunded, shown.refunded),
      totalRefundedShippingSet: bag(0, 0),
      subtotalLineItemsQuantity: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
      // Nobody has asked the shop for the buyer's visits.
      customerJourneySummary: null,
      lineItems: (page: PageArgs) =>
        connection(
          order.lines.map((_, at) => at),
          page,
          String,
          line,
        ),
      refunds: () => (order.refunded > 0 ? [refundAnswer(order, line, () => answerOf(order))] : []),
    }
  }
  const byGid = (id: string): Order | null => {
    const found = orders.byNumber(Number(idIn('Order', id)))
    return found && shownNow()(found) ? found : null
  }
  const one = (id: string): object | null => {
    const found = byGid(id)
    return found && answerOf(found)
  }
  const refund = (id: string): object | null => {
    const found = orders.byNumber(Number(idIn('Refund', id)))
    if (!found || !shownNow()(found) || found.refunded === 0) return null
    return refundAnswer(
      found,
      at => lineAnswer(found, at, sources),
      () => answerOf(found),
    )
  }
  // Pages of one list are asked for one after the other, and reading all orders takes long.
  const changes = state.db.prepare('select total_changes() as changes')
  let held: { changes: number; orders: Order[] } | null = null
  const everyOrder = (): Order[] => {
    const now = (changes.get() as { changes: number }).changes
    if (held?.changes !== now)
      held = {
        changes: now,
        orders: orders.between('1970-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z'),
      }
    return held.orders
  }
  const all = (query: string | null | undefined): Order[] =>
    everyOrder()
      .filter(shownNow())
      .filter(
        searchFor<Order>(
          query,
          {
            id: ({ number }) => number,
            name: ({ number }) => `#${number}`,
            created_at: ({ createdAt }) => new Date(createdAt),
            processed_at: ({ createdAt }) => new Date(createdAt),
            updated_at: ({ updatedAt }) => new Date(updatedAt),
            customer_id: ({ customer }) => customerNumber(customer.email),
            email: ({ customer }) => customer.email,
            test: ({ isTest }) => isTest,
            status: ({ cancelledAt }) => (cancelledAt === null ? 'open' : 'cancelled'),
          },
          ({ number }) => `#${number}`,
        ),
      )
  const keys: Record<string, (order: Order) => string | number> = {
    ID: ({ number }) => number,
    ORDER_NUMBER: ({ number }) => number,
    CREATED_AT: ({ createdAt }) => createdAt,
    PROCESSED_AT: ({ createdAt }) => createdAt,
    UPDATED_AT: ({ updatedAt }) => updatedAt,
  }
  const answers: Answers = {
    query: {
      order: ({ id }: { id: string }) => {
        if (idIn('Order', id) === null) throw new GraphQLError(`Invalid global id '${id}'`)
        return one(id)
      },
      orders: ({ query, sortKey = 'PROCESSED_AT', ...page }: ListArgs) =>
        connection(
          sorted(all(query), keys, sortKey, ({ number }) => number),
          page,
          ({ number }) => String(number),
          answerOf,
        ),
      ordersCount: ({ query, limit }: { query?: string | null; limit?: number | null }) =>
        counted(all(query).length, limit),
    },
  }
  return { answers, nodes: { Order: one, Refund: refund } }
}
