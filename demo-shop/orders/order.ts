import { decimalMoney } from '../../domain/money.ts'
import { refundedTax } from '../../domain/prices/included-tax.ts'
import type { Currency } from '../pages/currencies.ts'
import { shop } from '../shop.ts'
import { shownOrder } from '../pages/shown.ts'

/** The buyer. */
export type Customer = {
  email: string
  name: string
  address: string
  city: string
  postcode: string
  country: string
}

/**
 * Money in minor units. `amount`: the whole line, after the selling plan's discount. `unit_price`:
 * one piece before the discount (null when it is no longer known).
 */
export type OrderLine = {
  variant_id: number
  product_id: number
  title: string
  quantity: number
  unit_price: number | null
  price: number
  amount: number
  selling_plan: { id: number; name: string } | null
  image: string
  /**
   * Minor units of the buyer's currency for one piece, before and after the plan's discount. Absent
   * in older lines.
   */
  shown?: { unit: number; price: number }
  /**
   * What a function of an app has taken off the whole line, besides the plan's discount: minor
   * units of the shop's currency and of the buyer's.
   */
  discount?: { title: string; amount: number; shown: number }
}

/** A single purchase, the first order of a subscription, or a renewal of one. */
export type OrderType = 'one_time' | 'subscription' | 'renewal'

/** An order of the shop, amounts in minor units. */
export type Order = {
  number: number
  id: string
  token: string
  createdAt: string
  isTest: boolean
  /** Made by "Buy it now" or express checkout. */
  isExpress: boolean
  type: OrderType
  /** For a renewal: the order that began its subscription. */
  renews: { id: string; number: number } | null
  customer: Customer
  lines: OrderLine[]
  attributes: Record<string, string>
  note: string
  /** The currency that the buyer saw, with its rate and rounding at that moment. */
  presentment: Omit<Currency, 'prices'> & { hasPriceList: boolean }
  /** Minor units of the shop's own currency; the subtotal is before shipping. */
  subtotal: number
  shipping: number
  refunded: number
  cancelledAt: string | null
  updatedAt: string
  /** Percent of tax that the prices included when the order was made; 0 for none. */
  tax_rate: number
}

/** An order before it is stored. */
export type NewOrder = Pick<
  Order,
  'isTest' | 'isExpress' | 'type' | 'customer' | 'lines' | 'attributes' | 'note' | 'presentment'
> & {
  cartToken: string
  createdAt: Date
  renews: string | null
  /** Absent for a renewal: then as for any goods of this price. */
  shipping?: number
}

/** The tax that an amount of minor units includes. Rounded, so that tax and rest are the amount. */
export const taxIn = (amount: number, rate: number): number =>
  amount - Math.round((amount * 100) / (100 + rate))

/** The tax in the goods of an order, and in what was refunded of them. */
export function taxesOf({ lines, tax_rate, subtotal, refunded }: Order) {
  const tax = lines.reduce((sum, { amount }) => sum + taxIn(amount, tax_rate), 0)
  return { tax, refundedTax: refundedTax(tax, refunded, subtotal) }
}

/**
 * An order as apps get it, in webhooks and in the admin API. Money is decimal text in the shop's
 * currency; `presentment` has the amounts as the buyer saw them.
 */
export function orderJson(order: Order) {
  const {
    id,
    number,
    createdAt,
    isTest,
    isExpress,
    type,
    renews,
    lines,
    attributes,
    subtotal,
    shipping,
    refunded,
    cancelledAt,
    updatedAt,
    tax_rate,
  } = order
  const taxes = taxesOf(order)
  const shown = shownOrder(order)
  const inShown = (minor: number) => decimalMoney(minor, shown.currency)
  return {
    id,
    name: `#${number}`,
    created_at: createdAt,
    updated_at: updatedAt,
    cancelled_at: cancelledAt,
    currency: shop.currency,
    test: isTest,
    order_type: type,
    express_checkout: isExpress,
    first_order: renews && { id: renews.id, name: `#${renews.number}` },
    subtotal_price: decimal(subtotal),
    total_shipping: decimal(shipping),
    total_price: decimal(subtotal + shipping),
    refunded: decimal(refunded),
    // As on real platforms, tax that prices include is part of the subtotal and of each line.
    taxes_included: tax_rate > 0,
    total_tax: decimal(taxes.tax),
    refunded_tax: decimal(taxes.refundedTax),
    presentment: {
      currency: shown.currency,
      rate: order.presentment.rate,
      step: order.presentment.step,
      ending: order.presentment.ending,
      has_price_list: order.presentment.hasPriceList,
      subtotal_price: inShown(shown.subtotal),
      total_shipping: inShown(shown.shipping),
      total_price: inShown(shown.subtotal + shown.shipping),
      refunded: inShown(shown.refunded),
    },
    note_attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
    line_items: lines.map(
      (
        { variant_id, product_id, title, quantity, unit_price, price, amount, selling_plan },
        i,
      ) => ({
        variant_id,
        product_id,
        title,
        quantity,
        unit_price: nullable(unit_price, decimal),
        price: decimal(price),
        amount: decimal(amount),
        presentment: {
          unit_price: nullable(shown.lines[i]!.unit, inShown),
          price: inShown(shown.lines[i]!.price),
          amount: inShown(shown.lines[i]!.amount),
        },
        tax_lines:
          tax_rate > 0
            ? [{ title: 'Tax', rate: tax_rate / 100, price: decimal(taxIn(amount, tax_rate)) }]
            : [],
        selling_plan,
      }),
    ),
  }
}

const nullable = (minor: number | null, write: (minor: number) => string): string | null =>
  minor === null ? null : write(minor)

/** An amount of minor units as the platform writes money. */
export const decimal = (minor: number): string => decimalMoney(minor, shop.currency)
