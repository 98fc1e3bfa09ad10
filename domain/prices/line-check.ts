import { type Arm, arms, type PerArm } from '../arm.ts'
import { assign } from '../tests/assignment.ts'
import { cartAttribute } from '../events/event.ts'
import { formatMoney } from '../money.ts'
import { priceAttribute, shownAmount, testedPrice, type Market } from './price-test.ts'
import { minute } from '../time-units.ts'

/**
 * A running price test, as an order is compared with it. `prices`: both arms' prices by product
 * variant, in minor units.
 */
export type PricedTest = {
  id: string
  weights: PerArm<number>
  prices: Record<string, PerArm<number>>
  /**
   * True when the buyer's browser had reported an exposure to this test before the order, and no
   * other test of the buyer excludes this one.
   */
  isMet: boolean
}
/**
 * `unitPrice`: the price of one piece before discounts and before the reduction of a selling plan;
 * undefined when the platform does not tell it. `shownPrice`: the same in the buyer's market; it is
 * what the buyer saw, so it counts before `unitPrice`.
 */
export type ChargedLine = {
  variantId: string
  title: string
  unitPrice?: number
  shownPrice?: number
}
/**
 * `visitor`: known another way than by the attributes. `isCleared`: the order had attributes of
 * ours, but not the visitor's, and they are no longer known.
 */
export type ChargedOrder = {
  lines: readonly ChargedLine[]
  attributes: Record<string, string>
  market?: Market & { currency: string }
  visitor?: string | null
  isCleared?: true
}
/** Why a line may have been charged a different price, as far as the order's attributes tell. */
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
  /** Of both amounts, if it is not the shop's own. */
  currency?: string
  cause: ChargeCause
}

/**
 * For this time after a price test has started or resumed, orders are not checked, because older
 * pages may still be open. Milliseconds.
 */
export const settlingTime = 2 * minute

/**
 * For each test, the first line that was not charged the price which the buyer saw. A buyer is in a
 * test when their browser reported it, or when their cart says so (a browser that cannot reach us
 * still shows the prices of its arm). The visitor's id alone gives the arm. All other buyers must
 * pay the control's price.
 */
export function lineMismatches(
  tests: readonly PricedTest[],
  { lines, attributes, market, visitor: told, isCleared }: ChargedOrder,
): Mismatch[] {
  const visitor = told ?? attributes[cartAttribute]
  const found = new Map<string, Mismatch>()
  for (const { variantId, title, unitPrice, shownPrice } of lines) {
    const test = tests.find(({ prices }) => Object.hasOwn(prices, variantId))
    const paidIn = shownPrice === undefined ? undefined : market
    const charged = paidIn ? shownPrice : unitPrice
    if (!test || charged === undefined || found.has(test.id)) continue
    const [control, variant] = test.prices[variantId]!
    const isVariant =
      test.isMet && visitor !== undefined
        ? assign(test.id, visitor, test.weights) === 1
        : isNamed(test, attributes, variantId)
    const price = isVariant ? variant : control
    const expected = paidIn ? shownAmount(price, paidIn) : price
    if (charged !== expected)
      found.set(test.id, {
        testId: test.id,
        title,
        arm: arms[isVariant ? 1 : 0]!,
        expected,
        charged,
        ...(paidIn && { currency: paidIn.currency }),
        cause: isCleared ? 'cleared' : causeOf(test, attributes),
      })
  }
  return [...found.values()]
}

/**
 * Ids of the tests that this order can be checked for: one of its lines is a tested product
 * variant, and the platform told its unit price.
 */
export const judgedTests = (
  tests: readonly PricedTest[],
  { lines, market }: Pick<ChargedOrder, 'lines' | 'market'>,
): string[] =>
  tests
    .filter(({ prices }) =>
      lines.some(
        ({ variantId, unitPrice, shownPrice }) =>
          (unitPrice !== undefined || (market && shownPrice !== undefined)) &&
          Object.hasOwn(prices, variantId),
      ),
    )
    .map(({ id }) => id)

/** Whether an order has none of the attributes that the script writes into carts. */
export const isUnmarked = (attributes: ChargedOrder['attributes']): boolean =>
  !attributes[cartAttribute] && !attributes[priceAttribute]

function causeOf({ id, isMet }: PricedTest, attributes: ChargedOrder['attributes']): ChargeCause {
  if (isUnmarked(attributes)) return 'express'
  return isMet && !attributes[priceAttribute]?.split(',').includes(id) ? 'cleared' : 'other'
}

/**
 * Whether the cart's attributes give the variant's price, by the same rule by which the platform
 * charges.
 */
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

/** The wrong charge, in words for the merchant. */
export const mismatchMessage = (
  order: string,
  { title, arm, expected, charged, cause, ...paid }: Mismatch,
  own: string,
): string => {
  const { currency = own } = paid
  return `Order ${order} was charged ${formatMoney(charged, currency)} for ${title}, but visitors of the ${arm} should pay ${formatMoney(expected, currency)}. ${chargeCauses[cause]}`
}
/**
 * The message of a test that is held for wrong charges. `latest`: the message of the latest one.
 */
export const heldMessage = (
  { wrong, judged }: { wrong: number; judged: number },
  latest: string,
): string =>
  `${wrong} of the last ${judged} buyers were charged a different price from the one they saw. ${latest}`
