import { minorDigits } from '../money.ts'

/**
 * How a rule computes the variant's prices from the control's. Keep schemas out of this file:
 * browsers load it to show a preview.
 */
export const priceRuleKinds = ['set', 'amount', 'percent'] as const
/**
 * `charm`: just below a whole unit of the currency, 19.99. Has no effect in a currency without
 * minor units.
 */
export const priceRoundings = ['none', 'charm'] as const
export type PriceRule = {
  kind: (typeof priceRuleKinds)[number]
  /**
   * `set`: the new price in minor units. `amount`: what is added to the price, in minor units.
   * `percent`: the change in percent.
   */
  value: number
  rounding?: (typeof priceRoundings)[number]
}

/**
 * The highest price that an arm can have, in minor units: almost a hundred million in most
 * currencies.
 */
export const highestPrice = 9_999_999_999

/**
 * The price that the rule makes of `price`, in minor units. Null when a shop cannot charge it: not
 * above 0, or above the highest.
 */
export function priceBy(
  { kind, value, rounding = 'none' }: PriceRule,
  price: number,
  currency: string,
): number | null {
  const changed = { set: value, amount: price + value, percent: (price * (100 + value)) / 100 }[
    kind
  ]
  const whole = Math.round(changed)
  if (!(whole > 0)) return null
  const made = rounding === 'charm' ? charmed(whole, 10 ** minorDigits(currency)) : whole
  return made <= highestPrice ? made : null
}

/**
 * The nearest price one minor unit below a whole unit, and at least the first such price. With a
 * unit of 1 it is the price itself.
 */
const charmed = (price: number, unit: number): number =>
  Math.max(1, Math.round((price + 1) / unit)) * unit - 1

/** What is wrong with a rule for any price; null when nothing is. */
export function ruleProblem({ kind, value }: Pick<PriceRule, 'kind' | 'value'>): string | null {
  if (kind === 'percent') return value > -100 ? null : 'A price can be lowered by less than 100%.'
  if (!Number.isInteger(value))
    return 'An amount is a whole number of the currency’s smallest unit.'
  return kind === 'set' && value < 1 ? 'A price is above 0.' : null
}
