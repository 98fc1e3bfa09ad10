import { assign } from '../tests/assignment.ts'
import type { PerArm } from '../arm.ts'

/**
 * What a platform needs to charge the prices that a running price test shows. A cart transform can
 * use it without network access. `prices` are those of the variant, by product variant, in minor
 * units of the shop's currency; the control has the shop's own prices.
 */
export type PriceRuleSet = { id: string; weights: PerArm<number>; prices: Record<string, number> }

/** Name of the cart attribute that lists the price tests of a visitor, separated by commas. */
export const priceAttribute = '_ts_prices'

/**
 * The price of a product variant in a cart with these attributes, in minor units of the shop's
 * currency; null for the shop's own price. Anyone can write cart attributes, so the arm is computed
 * from the visitor's id and never read from an attribute.
 */
export function testedPrice(
  rules: readonly PriceRuleSet[],
  visitor: string | undefined,
  tests: string | undefined,
  variantId: string,
): number | null {
  if (!visitor || !tests) return null
  const entered = tests.split(',')
  const rule = rules.find(
    ({ id, prices }) => Object.hasOwn(prices, variantId) && entered.includes(id),
  )
  return rule && assign(rule.id, visitor, rule.weights) === 1 ? rule.prices[variantId]! : null
}

/**
 * How a market of the shop makes its prices from the shop's own. `rate` converts minor units to
 * minor units (page-facts.ts). The result is then rounded up to the next amount that is `ending`
 * more than a multiple of `step`: 100 and 95 make €17.95. 1 and 0 leave it as it is.
 */
export type Market = { rate: number; step: number; ending: number }

/** The market of the shop's own currency. */
export const ownMarket: Market = { rate: 1, step: 1, ending: 0 }

/**
 * The price that buyers of this market see and pay, in its minor units. Pages, carts, the script
 * and the check of orders all use this one function, so that they agree to the minor unit. What is
 * free stays free.
 */
export const shownAmount = (minor: number, { rate, step, ending }: Market): number =>
  minor && Math.ceil((Math.round(minor * rate) - ending) / step) * step + ending

/**
 * A `Market`'s rate, made from one of whole units to whole units, as platforms give it. `digits`:
 * decimal places of the market's currency and of the shop's own.
 */
export const minorRate = (rate: number, digits: number, ownDigits: number): number =>
  rate * 10 ** (digits - ownDigits)
