/** Store money: integer minor units with a currency (spec §9: store's own currency, USD by default). */
const digits = new Map<string, number>()

/** Digits after the point of a currency's minor unit, 2 for most. */
export function minorDigits(currency: string): number {
  let known = digits.get(currency)
  if (known === undefined) {
    known = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
    digits.set(currency, known)
  }
  return known
}

/** "$80,491.31" from 8049131. `whole` drops the minor part (spec §9: prices display as whole-dollar). */
export function formatMoney(minor: number, currency = 'USD', whole = false): string {
  const d = minorDigits(currency)
  return new Intl.NumberFormat('en-US', { style: 'currency', currency, ...(whole ? { maximumFractionDigits: 0 } : {}) }).format(minor / 10 ** d)
}
