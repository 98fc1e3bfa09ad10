import { shownAmount, type Market } from '../../domain/prices/price-test.ts'
import type { PricedCart } from '../orders/carts.ts'
import { planPrice, sellingPlan } from '../orders/selling-plans.ts'
import type { Collection } from '../catalogue/collections.ts'
import type { Product, ProductVariant } from '../catalogue/product.ts'
import { ownCurrency, type Currency } from './currencies.ts'
import type { Order, OrderLine } from '../orders/order.ts'
import type { PageData } from '../themes/theme.ts'

/**
 * An amount that is no price (delivery, a refund) in the buyer's currency. Only prices are rounded
 * as the market says.
 */
export const convertedAmount = (minor: number, { rate }: Market): number => Math.round(minor * rate)

/** The price of a product in a market: that of its price list, or the shop's own, converted. */
const priceIn = (currency: Currency, handle: string, own: number): number =>
  currency.prices[handle] ?? shownAmount(own, currency)

/** What one piece in a cart costs in the buyer's currency, before and after its plan's discount. */
export function shownPiece(
  { handle, original_price, price, selling_plan, presented }: PricedCart['items'][number],
  currency: Currency,
): { unit: number; price: number } {
  if (presented) return presented
  const unit = priceIn(currency, handle, original_price)
  return Object.hasOwn(currency.prices, handle)
    ? { unit, price: planPrice(selling_plan ? sellingPlan(selling_plan.id) : undefined, unit) }
    : { unit, price: shownAmount(price, currency) }
}

/**
 * A cart's amounts in the buyer's currency. The price of one piece is converted; lines and total
 * are added up from it, so that the lines of a cart make its total.
 */
export function shownCart(cart: PricedCart, currency: Currency): PricedCart {
  const items = cart.items.map(item => {
    const { unit, price } = shownPiece(item, currency)
    return { ...item, original_price: unit, price, line_price: price * item.quantity }
  })
  const total_price = items.reduce((sum, item) => sum + item.line_price, 0)
  return {
    ...cart,
    currency: currency.code,
    items,
    total_price,
    shipping: convertedAmount(cart.shipping, currency),
    until_free_shipping: convertedAmount(cart.until_free_shipping, currency),
  }
}

/**
 * An order in the currency that it was paid in, at the rate and with the rounding of that moment.
 * Lines from before there was rounding do not say what was shown.
 */
export function shownOrder(
  order: Order,
): Order & { currency: string; lines: (OrderLine & { unit: number | null })[] } {
  const { presentment } = order
  const lines = order.lines.map(({ shown, ...line }) => {
    const price = shown?.price ?? shownAmount(line.price, presentment)
    const { unit_price } = line
    const unit = shown?.unit ?? (unit_price === null ? null : shownAmount(unit_price, presentment))
    return { ...line, unit, price, amount: price * line.quantity }
  })
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const refunded =
    order.refunded === order.subtotal
      ? subtotal
      : Math.min(subtotal, convertedAmount(order.refunded, presentment))
  return {
    ...order,
    currency: presentment.code,
    lines,
    subtotal,
    shipping: convertedAmount(order.shipping, presentment),
    refunded,
  }
}

/** The data that a page is drawn from, with its products' prices in the currency shown. */
export function shownData(data: PageData, currency: Currency): PageData {
  if (currency.code === ownCurrency.code) return data
  const priced = <T extends Pick<ProductVariant, 'price'>>(thing: T, handle: string): T => ({
    ...thing,
    price: priceIn(currency, handle, thing.price),
  })
  const product = (own: Product): Product => ({
    ...priced(own, own.handle),
    priceVaries: own.priceVaries && !Object.hasOwn(currency.prices, own.handle),
    variants: own.variants.map(variant => priced(variant, own.handle)),
  })
  const list = (products: Product[]): Product[] => products.map(product)
  const collection = (own: Collection): Collection => ({ ...own, products: list(own.products) })
  const { product: one, variant, collection: within, collections, related, picks, search } = data
  return {
    ...data,
    ...(one && { product: product(one) }),
    ...(variant && { variant: priced(variant, one?.handle ?? '') }),
    ...(within && { collection: collection(within) }),
    ...(collections && { collections: collections.map(collection) }),
    ...(related && { related: list(related) }),
    ...(picks && { picks: list(picks) }),
    ...(search && { search: { ...search, products: list(search.products) } }),
  }
}
