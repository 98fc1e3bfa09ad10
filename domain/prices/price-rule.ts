import { minorDigits } from '../money.ts'

/** How the variant's prices follow from the control's. No schema here, so that a browser can show what a rule would make. */
export const priceRuleKinds = ['set', 'amount', 'percent'] as const
/** `charm`: just below a whole unit of the currency, 19.99. A currency without minor units has no such price. */
export const priceRoundings = ['none', 'charm'] as const
export type PriceRule = {
  kind: (typeof priceRuleKinds)[number]
  /** The price itself (`set`), what is added to it (`amount`, minor units), or by how many percent it changes. */
  value: number
  rounding?: (typeof priceRoundings)[number]
}

/** Minor units; a hundred million of most currencies. No arm is given more, and the demo shop charges no more. */
export const highestPrice = 9_999_999_999

/** The price that the rule makes of one, in minor units; null when that is none a shop can charge: not above 0, or beyond the highest. */
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

/** The nearest price just below a whole unit, and at least the first of them. With a unit of 1 that is the price itself. */
const charmed = (price: number, unit: number): number =>
  Math.max(1, Math.round((price + 1) / unit)) * unit - 1

/** What is wrong with a rule before it meets a price; null when nothing is. */
export function ruleProblem({ kind, value }: Pick<PriceRule, 'kind' | 'value'>): string | null {
  if (kind === 'percent') return value > -100 ? null : 'A price can be lowered by less than 100%.'
  if (!Number.isInteger(value))
    return 'An amount is a whole number of the currency’s smallest unit.'
  return kind === 'set' && value < 1 ? 'A price is above 0.' : null
}
