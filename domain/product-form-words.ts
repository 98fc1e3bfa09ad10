import type { Output } from './contract.ts'
import { formatCount, formatLift } from './figures.ts'
import { formatMoney, minorDigits } from './money.ts'
import type { PriceRule } from './price-rule.ts'
import type { TestProduct, TestProductVariant } from './product.ts'
import { variantName } from './product-form.ts'

const counted = (n: number, one: string): string => `${formatCount(n)} ${one}${n === 1 ? '' : 's'}`

/** "12 products, 31 variants" */
export const totalWords = (products: readonly Pick<TestProduct, 'variantCount'>[]): string =>
  `${counted(products.length, 'product')}, ${counted(products.reduce((sum, { variantCount }) => sum + variantCount, 0), 'variant')}`

/** "10% less, rounded to .99"; in words where prices follow no rule. */
export function ruleWords({ rule, variants, currency }: Pick<TestProduct, 'rule' | 'variants' | 'currency'>): string {
  if (!rule) return variants.every(({ controlPrice, variantPrice }) => controlPrice === variantPrice) ? 'The same prices in both arms' : 'Prices set by hand'
  return sentence(bareRule(rule, currency) + (rule.rounding === 'charm' ? `, rounded to ${charmEnd(currency)}` : ''))
}

function bareRule({ kind, value }: PriceRule, currency: string): string {
  if (kind === 'set') return `all at ${formatMoney(value, currency)}`
  if (value === 0) return 'the shop’s price'
  return `${kind === 'percent' ? `${Number(Math.abs(value).toFixed(4))}%` : formatMoney(Math.abs(value), currency)} ${value < 0 ? 'less' : 'more'}`
}
const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** ".99" of a currency with two decimals; empty for one without. */
export const charmEnd = (currency: string): string => { const digits = minorDigits(currency); return digits > 0 ? `.${'9'.repeat(digits)}` : '' }

/** "−12.0%" from one price to the other, or that they are the same. */
export const changeWords = (from: number, to: number): string => (from === to ? 'Same' : from > 0 ? formatLift(to / from - 1) : 'New')

/** "$34.00 → $29.99" */
export const priceStep = (from: number, to: number, currency: string): string => `${formatMoney(from, currency)} → ${formatMoney(to, currency)}`

type Changed = { product: TestProduct; variant: TestProductVariant; by: number }
/** One line of all products and prices, for the review: how many, and the changes that go furthest down and up. */
export function pricesSummary(products: readonly TestProduct[]): string {
  if (products.length === 0) return 'None chosen'
  const all = products.flatMap(product => product.variants.map((variant): Changed => ({ product, variant, by: variant.controlPrice > 0 ? variant.variantPrice / variant.controlPrice - 1 : 0 })))
  const changed = all.filter(({ variant }) => variant.variantPrice !== variant.controlPrice)
  if (changed.length === 0) return `${totalWords(products)}; no price differs yet`
  const words = ({ product, variant, by }: Changed) => `${variantName(product.title, variant.title)} ${priceStep(variant.controlPrice, variant.variantPrice, product.currency)} (${formatLift(by)})`
  const lowest = changed.reduce((a, b) => (b.by < a.by ? b : a)), highest = changed.reduce((a, b) => (b.by > a.by ? b : a))
  const told = lowest.by === highest.by ? `${changed.length > 1 ? 'each like ' : ''}${words(lowest)}` : `from ${words(lowest)} to ${words(highest)}`
  const many = changed.length === all.length && all.length > 1 ? 'all prices change' : `${formatCount(changed.length)} ${changed.length === 1 ? 'price changes' : 'prices change'}`
  return `${totalWords(products)}; ${many}: ${told}`
}

/** What "Clear errors" did. */
export function clearedWords({ cleared, removed, remaining }: Output<'clearProductErrors'>): string {
  if (cleared === 0 && removed === 0 && remaining === 0) return 'No error was noted. The products have the shop’s present prices.'
  return [
    cleared > removed && `${counted(cleared - removed, 'product')} ${cleared - removed === 1 ? 'has' : 'have'} the shop’s present prices now.`,
    removed > 0 && `${counted(removed, 'product')} that the shop no longer has ${removed === 1 ? 'is' : 'are'} taken out.`,
    remaining > 0 && `${counted(remaining, 'product')} still ${remaining === 1 ? 'has' : 'have'} errors.`,
  ].filter(Boolean).join(' ')
}

/** What "Remove conflicted" did. */
export const removedWords = (removed: number): string =>
  (removed === 0 ? 'No product is in another running price test.' : `${counted(removed, 'product')} of other running price tests ${removed === 1 ? 'is' : 'are'} taken out of this one.`)

/** What "Add" did. */
export const addedWords = (added: number): string => (added === 1 ? 'One product is added to the test.' : `${formatCount(added)} products are added to the test.`)
