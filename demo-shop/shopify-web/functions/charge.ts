import { minorFromDecimal } from '../../../domain/money.ts'
import { shippingFor, freeShippingFrom, type PricedCart } from '../../orders/carts.ts'
import type { Currency } from '../../pages/currencies.ts'
import { shownPiece } from '../../pages/shown.ts'
import { lineIndex } from './cart-input.ts'

type Item = PricedCart['items'][number]
/** What a cart transform may return. Bundles are not sold here. */
export type TransformResult = {
  operations: {
    lineUpdate?: {
      cartLineId: string
      price?: { adjustment: { fixedPricePerUnit?: { amount: string } } }
    }
  }[]
}
/** What a discount function may return for products. */
export type DiscountResult = {
  operations: {
    productDiscountsAdd?: {
      selectionStrategy: 'FIRST' | 'MAXIMUM' | 'ALL'
      candidates: {
        targets: { cartLine?: { id: string; quantity?: number } }[]
        message?: string
        value: {
          fixedAmount?: { amount: string; appliesToEachItem?: boolean }
          percentage?: { value: string }
        }
      }[]
    }
  }[]
}

/** The shop receives what was paid in a market at its rate. */
const received = (shown: number, { rate }: Currency): number => Math.round(shown / rate)
const minorOf = (amount: string, { code }: Currency): number =>
  minorFromDecimal(String(amount), code) ?? Number.NaN

/** A line that costs this in the market, in the shop's currency and in the market's. */
function costing(item: Item, market: Currency, unit: number, price: number): Item {
  const own = received(price, market)
  return {
    ...item,
    presented: { unit, price },
    original_price: received(unit, market),
    price: own,
    line_price: own * item.quantity,
  }
}

/** The cart with the prices that a cart transform has set. */
export function transformed(
  cart: PricedCart,
  market: Currency,
  { operations }: TransformResult,
): PricedCart {
  const items = [...cart.items]
  for (const { lineUpdate } of operations) {
    const amount = lineUpdate?.price?.adjustment.fixedPricePerUnit?.amount
    const at = lineIndex(lineUpdate?.cartLineId ?? ''),
      item = items[at]
    const paid = amount === undefined ? Number.NaN : minorOf(amount, market)
    if (!item || !(paid >= 0)) continue
    items[at] = costing(item, market, paid, paid)
  }
  return summed({ ...cart, items })
}

/** The cart with the discounts of a function: its lines keep their prices beside. */
export function discounted(
  cart: PricedCart,
  market: Currency,
  title: string,
  { operations }: DiscountResult,
): PricedCart {
  const items = [...cart.items]
  for (const { productDiscountsAdd } of operations) {
    if (!productDiscountsAdd) continue
    const { candidates, selectionStrategy } = productDiscountsAdd
    const offers = candidates.flatMap(({ targets, value, message }) =>
      targets.flatMap(({ cartLine }) => {
        const at = lineIndex(cartLine?.id ?? ''),
          item = items[at]
        if (!item) return []
        const each = shownPiece(item, market).price
        const { fixedAmount, percentage } = value
        const off = percentage
          ? Math.round((each * Number(percentage.value)) / 100) * item.quantity
          : minorOf(fixedAmount?.amount ?? '0', market) *
            (fixedAmount?.appliesToEachItem ? item.quantity : 1)
        return [{ at, message, off: Math.min(off, each * item.quantity) }]
      }),
    )
    for (const [at, all] of Map.groupBy(offers, offer => offer.at)) {
      const sorted = [...all].sort((a, b) => b.off - a.off)
      const taken =
        selectionStrategy === 'ALL'
          ? all
          : selectionStrategy === 'FIRST'
            ? all.slice(0, 1)
            : sorted.slice(0, 1)
      const off = taken.reduce((sum, offer) => sum + offer.off, 0)
      if (off > 0) items[at] = less(items[at]!, market, off, taken[0]!.message || title)
    }
  }
  return summed({ ...cart, items })
}

/** A line with a discount of so many minor units of the market's currency on all of it. */
function less(item: Item, market: Currency, off: number, title: string): Item {
  const before = shownPiece(item, market)
  const each = Math.max(0, Math.round((before.price * item.quantity - off) / item.quantity))
  const line = costing(item, market, before.unit, each)
  return {
    ...line,
    discount: {
      title,
      shown: (before.price - each) * item.quantity,
      amount: (received(before.price, market) - line.price) * item.quantity,
    },
  }
}

function summed(cart: PricedCart): PricedCart {
  const total = cart.items.reduce((sum, item) => sum + item.line_price, 0)
  return {
    ...cart,
    total_price: total,
    shipping: cart.items.length === 0 ? 0 : shippingFor(total),
    until_free_shipping: Math.max(0, freeShippingFrom - total),
  }
}
