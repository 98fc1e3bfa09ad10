import { type Arm, arms, type PerArm } from '../arm.ts'
import { assign } from '../tests/assignment.ts'
import { cartAttribute } from '../events/event.ts'
import { formatMoney } from '../money.ts'
import { priceAttribute, testedPrice } from './price-test.ts'
import { minute } from '../time-units.ts'

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
/** Why a line may have been charged otherwise, as far as the order's attributes tell. */
export const chargeCauses = {
  express:
    'The order carries no cart attributes. Express checkout and “Buy it now” leave them out, and the shop then cannot know the buyer’s arm.',
  cleared:
    'The cart had lost the attribute that names the buyer’s price tests: another app or the theme cleared it before checkout.',
  other:
    'The cart’s attributes were in order, so something else set this price: look for other apps that change cart prices, and for an order that was edited by hand.',
} as const
export type ChargeCause = keyof typeof chargeCauses
export type Mismatch = {
  testId: string
  title: string
  arm: Arm
  expected: number
  charged: number
  cause: ChargeCause
}

/** How long after a price test has started, or continued, orders are not held against it: pages drawn before may still be open. Milliseconds. */
export const settlingTime = 2 * minute

/**
 * Of each test the first line that was not charged what its buyer was shown. A buyer is in a test when their browser told us so, or
 * their cart (a browser that cannot reach us still shows its arm's prices); the arm follows from the visitor's id alone.
 * Everybody else is to pay control's price.
 */
export function lineMismatches(
  tests: readonly PricedTest[],
  { lines, attributes }: ChargedOrder,
): Mismatch[] {
  const visitor = attributes[cartAttribute]
  const found = new Map<string, Mismatch>()
  for (const { variantId, title, unitPrice: charged } of lines) {
    const test = tests.find(({ prices }) => Object.hasOwn(prices, variantId))
    if (!test || charged === undefined || found.has(test.id)) continue
    const [control, variant] = test.prices[variantId]!
    const isVariant =
      test.isMet && visitor !== undefined
        ? assign(test.id, visitor, test.weights) === 1
        : isNamed(test, attributes, variantId)
    const expected = isVariant ? variant : control
    if (charged !== expected)
      found.set(test.id, {
        testId: test.id,
        title,
        arm: arms[isVariant ? 1 : 0]!,
        expected,
        charged,
        cause: causeOf(test, attributes),
      })
  }
  return [...found.values()]
}

/** Tests that this order says something about: one of its lines is tested, and the platform tells what a piece cost. */
export const judgedTests = (
  tests: readonly PricedTest[],
  { lines }: Pick<ChargedOrder, 'lines'>,
): string[] =>
  tests
    .filter(({ prices }) =>
      lines.some(
        ({ variantId, unitPrice }) => unitPrice !== undefined && Object.hasOwn(prices, variantId),
      ),
    )
    .map(({ id }) => id)

/** Whether an order came without anything that the script writes into carts. */
export const isUnmarked = (attributes: ChargedOrder['attributes']): boolean =>
  !attributes[cartAttribute] && !attributes[priceAttribute]

function causeOf({ id, isMet }: PricedTest, attributes: ChargedOrder['attributes']): ChargeCause {
  if (isUnmarked(attributes)) return 'express'
  return isMet && !attributes[priceAttribute]?.split(',').includes(id) ? 'cleared' : 'other'
}

/** By the very rule that the platform charges by. */
const isNamed = (
  { id, weights, prices }: PricedTest,
  attributes: Record<string, string>,
  variantId: string,
): boolean =>
  testedPrice(
    [{ id, weights, prices: { [variantId]: prices[variantId]![1] } }],
    attributes[cartAttribute],
    attributes[priceAttribute],
    variantId,
  ) !== null

/** The evidence, in words for the merchant. */
export const mismatchMessage = (
  order: string,
  { title, arm, expected, charged, cause }: Mismatch,
  currency: string,
): string =>
  `Order ${order} was charged ${formatMoney(charged, currency)} for ${title}, where visitors of the ${arm} are to pay ${formatMoney(expected, currency)}. ${chargeCauses[cause]}`
/** The same where a test is held for it. */
export const heldMessage = (
  { wrong, judged }: { wrong: number; judged: number },
  latest: string,
): string =>
  `${wrong} of the last ${judged} buyers were charged a different price from the one they saw. ${latest}`
