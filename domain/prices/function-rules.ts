import type { PriceRuleSet } from './price-test.ts'
import { escapedSize, splitText } from '../split-text.ts'

/**
 * Some platforms charge tested prices by functions of ours, which they run without network whenever
 * they price a cart. A function reads only fields that the app has stored at the platform. This
 * file is the contract: the adapter writes the fields, the functions read them
 * (function-charge.ts).
 *
 * Each product variant has a field with its own prices, because a function can read no more than
 * 10,000 bytes of one field. One field of the shop is the switch: it names the running tests, and a
 * price of any other test has no effect. So prices are written before the switch, and removed after
 * it.
 */
export const functionNamespace = '$app:twinshelf'
/** Key of the shop's field. */
export const switchKey = 'price_tests'
/** Key of the field of a product variant. */
export const priceKey = 'price'
/** The most bytes of a field that a function can read. */
export const maxFunctionField = 10_000

/**
 * How a market rounds its prices (price-test.ts, `Market`), in minor units of its currency. 0: it
 * has a price list of its own, and tested prices are not charged there.
 */
export type MarketRounding = [step: number, ending: number] | 0
/**
 * The shop's field. `currency`: the shop's own. `tests`: the control's weight by the test's id.
 * `markets`: by the platform's number of the market, the last part of its id; a market that is not
 * among them does not round.
 */
export type PriceSwitch = {
  v: 1
  currency: string
  tests: Record<string, number>
  markets: Record<string, MarketRounding>
}
/**
 * The field of a product variant: the variant's price by test, in the order of the rules, in minor
 * units of the shop's currency.
 */
export type VariantPrices = [testId: string, price: number][]

/** Values are JSON texts. `prices`: by product variant. */
export type FunctionFields =
  | { switch: string; prices: Record<string, string>; problem?: undefined }
  | { problem: string }

/**
 * What the platform's functions need to charge by these rules. `problem` says, for the merchant,
 * why they are too many. Product variants that had prices by earlier rules, and are not in `prices`
 * now, must lose their field, after the switch is written. Without rules the switch names no test.
 */
export function functionFields(
  rules: readonly PriceRuleSet[],
  { currency, markets }: Pick<PriceSwitch, 'currency' | 'markets'>,
): FunctionFields {
  const value: PriceSwitch = {
    v: 1,
    currency,
    tests: Object.fromEntries(rules.map(({ id, weights }) => [id, weights[0]])),
    markets,
  }
  const text = JSON.stringify(value)
  if (escapedSize(text) > maxFunctionField)
    return {
      problem: `Your shop can charge the prices of ${rules.length} tests in ${Object.keys(markets).length} markets only if there are fewer of them. End a price test first.`,
    }
  const prices = new Map<string, VariantPrices>()
  for (const { id, prices: own } of rules)
    for (const [variantId, price] of Object.entries(own))
      prices.set(variantId, [...(prices.get(variantId) ?? []), [id, price]])
  return {
    switch: text,
    prices: Object.fromEntries([...prices].map(([id, all]) => [id, JSON.stringify(all)])),
  }
}

/**
 * The rules as the app keeps them for itself, beside the script's fields and in their namespace:
 * the platform charges by the rules that were written together with the switch. Written in the same
 * call as the switch; removal deletes all keys.
 */
export const ledgerKeys = ['prices', 'prices_2', 'prices_3', 'prices_4'] as const
/** The most bytes of one of these fields. Platforms take 128 KB. */
export const maxLedgerField = 120_000
export type LedgerField = { key: (typeof ledgerKeys)[number]; value: string }

/** `problem`: for the merchant, why the rules are too large. */
export function ledgerFields(
  rules: readonly PriceRuleSet[],
): { fields: LedgerField[]; problem?: undefined } | { problem: string } {
  const texts = splitText(
    JSON.stringify(rules),
    maxLedgerField - JSON.stringify({ text: '' }).length,
  )
  return texts.length > ledgerKeys.length
    ? {
        problem:
          'Your price tests change more prices than your shop can keep. Test fewer products.',
      }
    : {
        fields: texts.map((text, i) => ({ key: ledgerKeys[i]!, value: JSON.stringify({ text }) })),
      }
}

/** The rules that these values hold, in the order of `ledgerKeys`; none without values. */
export const ledgerRules = (values: readonly string[]): PriceRuleSet[] =>
  values.length === 0
    ? []
    : (JSON.parse(
        values.map(value => (JSON.parse(value) as { text: string }).text).join(''),
      ) as PriceRuleSet[])
