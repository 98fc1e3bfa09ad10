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
 * Converts an amount in the shop's currency to the currency that the buyer sees. Minor units;
 * `rate` as in page-facts.ts.
 */
export const shownAmount = (minor: number, rate: number): number => Math.round(minor * rate)
