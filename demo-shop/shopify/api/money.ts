import { decimalMoney } from '../../../domain/money.ts'
import { shop } from '../../shop.ts'

/**
 * An amount in the shop's currency and in the buyer's, minor units each. The platform writes both
 * with one decimal place at least, also where the currency has none.
 */
export const moneyBag = (own: number, paid: number, code: string) => ({
  shopMoney: moneyIn(own, shop.currency),
  presentmentMoney: moneyIn(paid, code),
})

export const moneyIn = (minor: number, code: string) => {
  const text = decimalMoney(minor, code)
  return { amount: text.includes('.') ? trimmed(text) : `${text}.0`, currencyCode: code }
}

/** "12.50" as the platform writes it in its Decimal: "12.5". */
const trimmed = (text: string): string => text.replace(/0$/, '')
