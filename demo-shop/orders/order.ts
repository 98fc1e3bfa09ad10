import { decimalMoney } from '../../domain/money.ts'
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
  type: OrderType
  /** For a renewal: the order that began its subscription. */
  renews: { id: string; number: number } | null
  customer: Customer
  lines: OrderLine[]
  attributes: Record<string, string>
  note: string
  /** The currency that the buyer saw, and its rate at that moment. */
  presentment: Currency
  /** Minor units of the shop's own currency; the subtotal is before shipping. */
  subtotal: number
  shipping: number
  refunded: number
}

/** An order before it is stored. */
export type NewOrder = Pick<
  Order,
  'isTest' | 'type' | 'customer' | 'lines' | 'attributes' | 'note' | 'presentment'
> & { cartToken: string; createdAt: Date; renews: string | null }

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
    type,
    renews,
    lines,
    attributes,
    subtotal,
    shipping,
    refunded,
  } = order
  const shown = shownOrder(order)
  const inShown = (minor: number) => decimalMoney(minor, shown.currency)
  return {
    id,
    name: `#${number}`,
    created_at: createdAt,
    currency: shop.currency,
    test: isTest,
    order_type: type,
    first_order: renews && { id: renews.id, name: `#${renews.number}` },
    subtotal_price: decimal(subtotal),
    total_shipping: decimal(shipping),
    total_price: decimal(subtotal + shipping),
    refunded: decimal(refunded),
    presentment: {
      currency: shown.currency,
      rate: order.presentment.rate,
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
        unit_price: unit_price === null ? null : decimal(unit_price),
        price: decimal(price),
        amount: decimal(amount),
        presentment: {
          price: inShown(shown.lines[i]!.price),
          amount: inShown(shown.lines[i]!.amount),
        },
        selling_plan,
      }),
    ),
  }
}

/** An amount of minor units as the platform writes money. */
export const decimal = (minor: number): string => decimalMoney(minor, shop.currency)
