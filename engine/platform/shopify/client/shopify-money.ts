import { minorFromDecimal } from '../../../../domain/money.ts'
import { problem } from './problems.ts'

/**
 * "12.34" as minor units of a currency. Throws VendorProblem when the text is not an amount, or is
 * finer than the currency.
 */
export function minorUnits(amount: string, currency: string): number {
  const isNegative = amount.startsWith('-')
  const units = minorFromDecimal(isNegative ? amount.slice(1) : amount, currency)
  if (units === null) throw problem('nonsense', `an amount in ${currency}`)
  return isNegative ? -units : units
}
