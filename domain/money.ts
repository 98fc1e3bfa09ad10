import { numberFormat } from './intl/formats.ts'

/**
 * Money of a store is an integer in minor units of the store's currency. This is the currency of a
 * store whose platform names none (requirements 5.5, 26.15).
 */
export const defaultCurrency = 'USD'

/**
 * Currencies that people use without decimals, which is all that Intl knows. Books keep their
 * decimals (ISO 4217) and so do platforms: an amount may have some.
 */
// prettier-ignore
const rarelyShown: readonly string[] = [
  'AFN', 'ALL', 'COP', 'HUF', 'IDR', 'IQD', 'IRR', 'KPW',
  'LAK', 'LBP', 'MMK', 'PKR', 'SLL', 'SOS', 'SYP', 'YER',
]
const digits = new Map<string, number>()

/** Number of decimal places of a currency; 2 for most. */
export function minorDigits(currency: string): number {
  let known = digits.get(currency)
  if (known === undefined) {
    known = rarelyShown.includes(currency) ? digitsInBooks(currency) : digitsShown(currency)
    digits.set(currency, known)
  }
  return known
}

const digitsInBooks = (currency: string): number => (currency === 'IQD' ? 3 : 2)
const digitsShown = (currency: string): number =>
  numberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2

/**
 * "$80,491.31" from 8049131. `whole` rounds to whole units, as in prices of plans
 * (requirements 26.14).
 */
export function formatMoney(minor: number, currency = defaultCurrency, whole = false): string {
  const d = minorDigits(currency)
  return numberFormat('en-US', {
    style: 'currency',
    currency,
    ...(rarelyShown.includes(currency) && {
      minimumFractionDigits: d,
      trailingZeroDisplay: 'stripIfInteger' as const,
    }),
    ...(whole && { minimumFractionDigits: 0, maximumFractionDigits: 0 }),
  }).format(minor / 10 ** d)
}

/** "12.34" for 1234 in USD, without rounding. For files and other programs, not for people. */
export const decimalMoney = (minor: number, currency: string): string =>
  decimalAmount(minor, minorDigits(currency))

/** The same for a currency that has so many decimal places. */
export function decimalAmount(minor: number, d: number): string {
  const text = String(Math.abs(minor)).padStart(d + 1, '0')
  return `${minor < 0 ? '-' : ''}${d ? `${text.slice(0, -d)}.${text.slice(-d)}` : text}`
}

/**
 * "12.34" in USD is 1234. Null when the text is not an amount or has more decimal places than the
 * currency.
 */
export function minorFromDecimal(text: string, currency: string): number | null {
  const d = minorDigits(currency)
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined || /[1-9]/.test(part.slice(d))) return null
  return Number(whole + part.slice(0, d).padEnd(d, '0'))
}
