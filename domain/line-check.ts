import { type Arm, arms, type PerArm } from './arm.ts'
import { assign } from './assignment.ts'
import { cartAttribute } from './event.ts'
import { formatMoney } from './money.ts'
import { priceAttribute, testedPrice } from './price-test.ts'

/** A running price test as an order is held against it: both arms' prices by product variant, minor units. */
export type PricedTest = {
  id: string
  weights: PerArm<number>
  prices: Record<string, PerArm<number>>
  /** The visitor who ordered had met it before, known from what their browser told us, and is in no other that could take it from them. */
  isMet: boolean
}
/** `unitPrice`: of one piece, before discounts and before what a selling plan takes off. */
export type ChargedLine = { variantId: string; title: string; unitPrice?: number }
export type ChargedOrder = { lines: readonly ChargedLine[]; attributes: Record<string, string> }
export type Mismatch = { testId: string; title: string; arm: Arm; expected: number; charged: number }

/** How long after a price test has started, or gone on, orders are not held against it: pages drawn before may still be open. Milliseconds. */
export const settlingTime = 2 * 60_000

/**
 * Of each test the first line that was not charged what its buyer was shown. A buyer is in a test when their browser told us so, or
 * their cart (a browser that cannot reach us still shows its arm's prices); the arm follows from the visitor's id alone.
 * Everybody else is to pay control's price.
 */
export function lineMismatches(tests: readonly PricedTest[], { lines, attributes }: ChargedOrder): Mismatch[] {
  const visitor = attributes[cartAttribute]
  const found = new Map<string, Mismatch>()
  for (const { variantId, title, unitPrice: charged } of lines) {
    const test = tests.find(({ prices }) => Object.hasOwn(prices, variantId))
    if (!test || charged === undefined || found.has(test.id)) continue
    const [control, variant] = test.prices[variantId]!
    const isVariant = test.isMet && visitor !== undefined ? assign(test.id, visitor, test.weights) === 1 : isNamed(test, attributes, variantId)
    const expected = isVariant ? variant : control
    if (charged !== expected) found.set(test.id, { testId: test.id, title, arm: arms[isVariant ? 1 : 0]!, expected, charged })
  }
  return [...found.values()]
}

/** By the very rule that the platform charges by. */
const isNamed = ({ id, weights, prices }: PricedTest, attributes: Record<string, string>, variantId: string): boolean =>
  testedPrice([{ id, weights, prices: { [variantId]: prices[variantId]![1] } }], attributes[cartAttribute], attributes[priceAttribute], variantId) !== null

/** The evidence, in words for the merchant. */
export const mismatchMessage = (order: string, { title, arm, expected, charged }: Mismatch, currency: string): string =>
  `Order ${order} was charged ${formatMoney(charged, currency)} for ${title}, where visitors of the ${arm} are to pay ${formatMoney(expected, currency)}.`
