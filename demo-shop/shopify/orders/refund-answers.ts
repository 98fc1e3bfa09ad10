import { shownOrder } from '../../pages/shown.ts'
import { type Order, taxesOf, taxIn } from '../../orders/order.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid } from '../api/gid.ts'
import { moneyBag } from '../api/money.ts'

export type RefundedLine = {
  at: number
  quantity: number
  own: number
  paid: number
  ownTax: number
  paidTax: number
}

/**
 * Whole pieces that an order's refund covers, and what remains of it. The shop keeps a refunded sum
 * without lines; on the platform a refund names lines as far as it pays for whole pieces, and the
 * rest is an adjustment.
 */
export function refundedLines(order: Order): {
  lines: RefundedLine[]
  rest: { own: number; paid: number; ownTax: number }
} {
  const shown = shownOrder(order)
  const left = { own: order.refunded, paid: shown.refunded }
  const lines: RefundedLine[] = []
  for (const [at, line] of order.lines.entries()) {
    const paidLine = shown.lines[at]!
    const each = { own: line.amount / line.quantity, paid: paidLine.amount / line.quantity }
    const isWhole = left.own >= line.amount && left.paid >= paidLine.amount
    const quantity = isWhole
      ? line.quantity
      : Number.isInteger(each.own) && Number.isInteger(each.paid) && each.own > 0
        ? Math.min(
            Math.floor(left.own / each.own),
            Math.floor(left.paid / each.paid),
            line.quantity,
          )
        : 0
    if (quantity === 0) continue
    const own = isWhole ? line.amount : each.own * quantity,
      paid = isWhole ? paidLine.amount : each.paid * quantity
    left.own -= own
    left.paid -= paid
    const rate = order.tax_rate
    lines.push({ at, quantity, own, paid, ownTax: taxIn(own, rate), paidTax: taxIn(paid, rate) })
  }
  // The parts of the tax must make the refunded tax of the shop's books, whatever was rounded.
  const taxLeft = taxesOf(order).refundedTax - lines.reduce((sum, { ownTax }) => sum + ownTax, 0)
  const last = lines.at(-1)
  const ownTax = left.own > 0 ? Math.max(0, taxLeft) : 0
  if (last) last.ownTax += taxLeft - ownTax
  return { lines, rest: { ...left, ownTax } }
}

/** The refund of an order: all that was paid back so far. */
export function refundAnswer(
  order: Order,
  lineAnswer: (at: number) => object,
  orderAnswer: () => object,
): object {
  const { code } = order.presentment
  const { lines, rest } = refundedLines(order)
  const total = moneyBag(order.refunded, shownOrder(order).refunded, code)
  return {
    __typename: 'Refund',
    id: gid('Refund', order.number),
    legacyResourceId: String(order.number),
    createdAt: order.updatedAt,
    processedAt: order.updatedAt,
    updatedAt: order.updatedAt,
    note: null,
    order: orderAnswer,
    totalRefundedSet: total,
    refundLineItems: (page: PageArgs) =>
      connection(
        lines,
        page,
        ({ at }) => String(at),
        line => ({
          __typename: 'RefundLineItem',
          id: gid('RefundLineItem', order.number * 100 + line.at),
          quantity: line.quantity,
          restocked: false,
          restockType: 'NO_RESTOCK',
          lineItem: () => lineAnswer(line.at),
          priceSet: moneyBag(
            Math.round(line.own / line.quantity),
            Math.round(line.paid / line.quantity),
            code,
          ),
          subtotalSet: moneyBag(line.own, line.paid, code),
          totalTaxSet: moneyBag(line.ownTax, line.paidTax, code),
        }),
      ),
    orderAdjustments: (page: PageArgs) =>
      connection(
        rest.own > 0 ? [rest] : [],
        page,
        () => 'rest',
        ({ own, paid, ownTax }) => ({
          __typename: 'OrderAdjustment',
          id: gid('OrderAdjustment', order.number),
          reason: 'REFUND_DISCREPANCY',
          amountSet: moneyBag(own, paid, code),
          taxAmountSet: moneyBag(ownTax, 0, code),
        }),
      ),
    refundShippingLines: (page: PageArgs) => connection([], page, String, () => ({})),
  }
}
