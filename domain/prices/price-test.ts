import { assign } from '../tests/assignment.ts'
import type { PerArm } from '../arm.ts'

/**
 * What a platform must know of a running price test to charge what was shown: the whole rule of a cart transform, without
 * network. Prices are the variant arm's, in minor units of the shop's currency, by product variant; control needs none.
 */
export type PriceRuleSet = { id: string; weights: PerArm<number>; prices: Record<string, number> }

/** Name of the cart attribute that lists the price tests a visitor is in, by comma. */
export const priceAttribute = '_ts_prices'

/**
 * The price a product variant has in a cart with these attributes, in minor units of the shop's currency; null for the
 * shop's own. Anybody may write cart attributes: an arm is worked out from the visitor's id, never taken from them.
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

/** An amount of the shop's currency as a buyer in another one is asked for it. Minor units; `rate` as in page-facts.ts. */
export const shownAmount = (minor: number, rate: number): number => Math.round(minor * rate)
