/** Store money: integer minor units with a currency, the store's own, USD by default (requirements 26.15). */
const digits = new Map<string, number>()

/** Digits after the point of a currency's minor unit, 2 for most. */
export function minorDigits(currency: string): number {
  let known = digits.get(currency)
  if (known === undefined) {
    known =
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? 2
    digits.set(currency, known)
  }
  return known
}

/** "$80,491.31" from 8049131. `whole` drops the minor part, as prices of plans do (requirements 26.14). */
export function formatMoney(minor: number, currency = 'USD', whole = false): string {
  const d = minorDigits(currency)
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    ...(whole ? { maximumFractionDigits: 0 } : {}),
  }).format(minor / 10 ** d)
}

/** "12.34" for 1234 of USD, digit by digit: for files and other programs, not for people. */
export function decimalMoney(minor: number, currency: string): string {
  const d = minorDigits(currency)
  const text = String(Math.abs(minor)).padStart(d + 1, '0')
  return `${minor < 0 ? '-' : ''}${d ? `${text.slice(0, -d)}.${text.slice(-d)}` : text}`
}

/** "12.34" of USD is 1234; null for what is no amount, or has more digits than the currency. */
export function minorFromDecimal(text: string, currency: string): number | null {
  const d = minorDigits(currency)
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined || /[1-9]/.test(part.slice(d))) return null
  return Number(whole + part.slice(0, d).padEnd(d, '0'))
}
