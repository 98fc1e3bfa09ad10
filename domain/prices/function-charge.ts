import type { PriceSwitch, VariantPrices } from './function-rules.ts'
import { minorRate, ownMarket, shownAmount, testedPrice } from './price-test.ts'

/**
 * What the functions ask of the platform: the fields of function-rules.ts, the cart's attributes,
 * and the prices that the platform would charge. The extensions have the documents.
 */
export type FunctionInput = {
  /** Units of the cart's currency for one unit of the shop's own. */
  presentmentCurrencyRate: string | number
  shop: { metafield: { jsonValue: PriceSwitch } | null }
  localization: { market: { id: string } }
  cart: {
    visitor: { value: string | null } | null
    tests: { value: string | null } | null
    lines: FunctionLine[]
  }
}
export type FunctionLine = {
  id: string
  cost: { amountPerQuantity: { amount: string | number; currencyCode: string } }
  sellingPlanAllocation: object | null
  merchandise:
    | {
        __typename: 'ProductVariant'
        id: string
        metafield: { jsonValue: VariantPrices } | null
      }
    | { __typename: 'CustomProduct' }
}
/**
 * A line with a tested price. `now`: what the platform would charge for one piece, `tested`: what
 * the buyer was shown, both in minor units of the cart's currency, which has so many `digits`.
 */
export type TestedLine = { id: string; now: number; tested: number; digits: number }

/**
 * What a function returns may have 20,000 bytes, or nothing of it counts. So the lines of a cart
 * after so many tested ones keep the shop's price.
 */
export const maxTestedLines = 110

/**
 * The lines of a cart that must be charged another price than the shop's own, by the rule that
 * pages show prices by. A subscription keeps the shop's price: its plan makes the price, and
 * platforms reject changes there. `digitsOf`: decimal places of a currency; functions have no list
 * of them.
 */
export function testedLines(
  { presentmentCurrencyRate, shop, localization, cart }: FunctionInput,
  digitsOf: (currency: string) => number,
): TestedLine[] {
  const rules = shop.metafield?.jsonValue
  const visitor = cart.visitor?.value,
    tests = cart.tests?.value
  if (rules?.v !== 1 || !visitor || !tests) return []
  const rounding = rules.markets[localization.market.id.split('/').at(-1)!]
  if (rounding === 0) return []
  const [step, ending] = rounding ?? [ownMarket.step, ownMarket.ending]
  const lines: TestedLine[] = []
  for (const { id, cost, sellingPlanAllocation, merchandise } of cart.lines) {
    if (sellingPlanAllocation || merchandise.__typename !== 'ProductVariant') continue
    const variantId = merchandise.id
    const running = (merchandise.metafield?.jsonValue ?? []).flatMap(([test, price]) => {
      const control = Object.hasOwn(rules.tests, test) ? rules.tests[test] : undefined
      return control === undefined
        ? []
        : [
            {
              id: test,
              weights: [control, 1 - control] as [number, number],
              prices: { [variantId]: price },
            },
          ]
    })
    const price = testedPrice(running, visitor, tests, variantId)
    if (price === null) continue
    const { amount, currencyCode } = cost.amountPerQuantity
    const digits = digitsOf(currencyCode)
    const rate = minorRate(Number(presentmentCurrencyRate), digits, digitsOf(rules.currency))
    const tested = shownAmount(price, { rate, step, ending })
    const now = Math.round(Number(amount) * 10 ** digits)
    if (tested !== now && lines.length < maxTestedLines) lines.push({ id, now, tested, digits })
  }
  return lines
}
