import { hasPriceList, type Currency } from '../pages/currencies.ts'
import { shownPiece } from '../pages/shown.ts'
import type { PricedCart } from './carts.ts'
import type { OrderLine } from './order.ts'

/**
 * A cart's lines as its order keeps them. Where a market rounds prices or has a price list, the
 * shop receives what was paid there, at the market's rate.
 */
export const orderLines = (cart: PricedCart, market: Currency): OrderLine[] =>
  cart.items.map(item => {
    const { variant_id, product_id, title, quantity, original_price, selling_plan, image } = item
    const { discount } = item
    const shown = shownPiece(item, market)
    const received = (paid: number, own: number): number =>
      market.step > 1 || hasPriceList(market) ? Math.round(paid / market.rate) : own
    return {
      variant_id,
      product_id,
      title,
      quantity,
      unit_price: original_price,
      price: received(shown.price, item.price),
      amount: received(shown.price * quantity, item.line_price),
      selling_plan,
      image,
      shown,
      ...(discount && { discount }),
    }
  })
