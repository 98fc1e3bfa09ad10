import type { Capabilities } from './capabilities.ts'

export type PriceWay = Capabilities['priceWay']

/** Whether a shop that charges prices in this way can charge an arm this much. Minor units. */
export const canCharge = (way: PriceWay, price: number, shopPrice: number): boolean =>
  way === 'transform' || price === shopPrice || (way === 'discount' && price < shopPrice)

/** Why it cannot. `what`: the product variant; `shopPrice`: the shop's own price, in words. */
export const cannotCharge = (way: PriceWay, what: string, shopPrice: string): string =>
  way === 'discount'
    ? `Your shop can only lower prices: ${what} can cost at most ${shopPrice}, its price in the shop.`
    : `Your shop does not let apps change prices, so ${what} keeps its price of ${shopPrice}.`
