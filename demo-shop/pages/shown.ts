import { shownAmount } from '../../domain/prices/price-test.ts'
import type { PricedCart } from '../orders/carts.ts'
import type { Collection } from '../catalogue/collections.ts'
import type { Product, ProductVariant } from '../catalogue/product.ts'
import type { Currency } from './currencies.ts'
import type { Order } from '../orders/order.ts'
import type { PageData } from '../themes/theme.ts'

/**
 * A cart's amounts in the buyer's currency. The price of one piece is converted; lines and total
 * are added up from it, so that the lines of a cart make its total.
 */
export function shownCart(cart: PricedCart, { code, rate }: Currency): PricedCart {
  const items = cart.items.map(item => ({
    ...item,
    original_price: shownAmount(item.original_price, rate),
    ...shownLine(item, rate),
  }))
  const total_price = items.reduce((sum, item) => sum + item.line_price, 0)
  return {
    ...cart,
    currency: code,
    items,
    total_price,
    shipping: shownAmount(cart.shipping, rate),
    until_free_shipping: shownAmount(cart.until_free_shipping, rate),
  }
}

/** An order in the currency that it was paid in, at the rate of that moment. */
export function shownOrder(order: Order): Order & { currency: string } {
  const { code, rate } = order.presentment
  const lines = order.lines.map(line => {
    const { price, line_price } = shownLine(line, rate)
    return { ...line, price, amount: line_price }
  })
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const refunded =
    order.refunded === order.subtotal
      ? subtotal
      : Math.min(subtotal, shownAmount(order.refunded, rate))
  return {
    ...order,
    currency: code,
    lines,
    subtotal,
    shipping: shownAmount(order.shipping, rate),
    refunded,
  }
}

const shownLine = ({ price, quantity }: { price: number; quantity: number }, rate: number) => {
  const shown = shownAmount(price, rate)
  return { price: shown, line_price: shown * quantity }
}

/** The data that a page is drawn from, with its products' prices in the currency shown. */
export function shownData(data: PageData, { rate }: Currency): PageData {
  if (rate === 1) return data
  const priced = <T extends Pick<ProductVariant, 'price'>>(thing: T): T => ({
    ...thing,
    price: shownAmount(thing.price, rate),
  })
  const product = (own: Product): Product => ({
    ...priced(own),
    variants: own.variants.map(priced),
  })
  const list = (products: Product[]): Product[] => products.map(product)
  const collection = (own: Collection): Collection => ({ ...own, products: list(own.products) })
  const { product: one, variant, collection: within, collections, related, picks, search } = data
  return {
    ...data,
    ...(one && { product: product(one) }),
    ...(variant && { variant: priced(variant) }),
    ...(within && { collection: collection(within) }),
    ...(collections && { collections: collections.map(collection) }),
    ...(related && { related: list(related) }),
    ...(picks && { picks: list(picks) }),
    ...(search && { search: { ...search, products: list(search.products) } }),
  }
}
