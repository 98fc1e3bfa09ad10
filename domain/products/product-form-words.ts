import type { Output } from '../api/contract.ts'
import { formatCount, formatLift, formatMoment } from '../figures.ts'
import { formatMoney, minorDigits } from '../money.ts'
import type { PriceRule } from '../prices/price-rule.ts'
import { isTested } from './product-check.ts'
import type { TestProduct, TestProductVariant } from './product.ts'
import { variantName } from './product-form.ts'

const counted = (n: number, one: string): string => `${formatCount(n)} ${one}${n === 1 ? '' : 's'}`

/** "12 products, 31 variants" */
export const totalWords = (products: readonly Pick<TestProduct, 'variantCount'>[]): string =>
  `${counted(products.length, 'product')}, ${counted(
    products.reduce((sum, { variantCount }) => sum + variantCount, 0),
    'variant',
  )}`

/**
 * "10% less, rounded to .99". Without a rule it says whether the prices are equal or set by hand.
 */
export function ruleWords({
  rule,
  variants,
  currency,
}: Pick<TestProduct, 'rule' | 'variants' | 'currency'>): string {
  if (!rule)
    return variants.every(({ controlPrice, variantPrice }) => controlPrice === variantPrice)
      ? 'The same prices in both arms'
      : 'Prices set by hand'
  return sentence(
    bareRule(rule, currency) +
      (rule.rounding === 'charm' ? `, rounded to ${charmEnd(currency)}` : ''),
  )
}

function bareRule({ kind, value }: PriceRule, currency: string): string {
  if (kind === 'set') return `all at ${formatMoney(value, currency)}`
  if (value === 0) return 'the shop’s price'
  return `${kind === 'percent' ? `${Number(Math.abs(value).toFixed(4))}%` : formatMoney(Math.abs(value), currency)} ${value < 0 ? 'less' : 'more'}`
}
const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** ".99" for a currency with two decimal places; empty for one without. */
export const charmEnd = (currency: string): string => {
  const digits = minorDigits(currency)
  return digits > 0 ? `.${'9'.repeat(digits)}` : ''
}

/** "−12.0%" from one price to another, "Same" when they are equal, "New" when the first is 0. */
export const changeWords = (from: number, to: number): string =>
  from === to ? 'Same' : from > 0 ? formatLift(to / from - 1) : 'New'

/** "$34.00 → $29.99" */
export const priceStep = (from: number, to: number, currency: string): string =>
  `${formatMoney(from, currency)} → ${formatMoney(to, currency)}`

/** What a merchant confirms before new prices go live. */
export type PriceLaunch = {
  lead: string
  facts: (readonly [name: string, words: string])[]
  isLater: boolean
}
type PriceDraft = {
  weights: readonly [number, number]
  /** Null when the test starts at once. */
  startsAt: string | null
  timeZone: string
}
/**
 * Sums up the new prices: how many products, the largest increase and decrease, and when they
 * start.
 */
export function priceLaunch(
  products: readonly TestProduct[],
  { weights, startsAt, timeZone }: PriceDraft,
): PriceLaunch {
  const all = changesOf(products)
  const count = new Set(all.map(({ product }) => product.id)).size
  const most = (isMore: (a: Changed, b: Changed) => boolean, among: Changed[]) =>
    among.length > 0 ? stepWords(among.reduce((a, b) => (isMore(b, a) ? b : a))) : 'None'
  return {
    isLater: startsAt !== null,
    lead: `About ${Number((weights[1] * 100).toFixed(2))}% of visitors will see and pay new prices for ${counted(count, 'product')}.`,
    facts: [
      [
        'Prices changed',
        `${formatCount(all.length)} of ${formatCount(products.reduce((sum, { variants }) => sum + variants.length, 0))}`,
      ],
      [
        'Largest increase',
        most(
          (a, b) => a.by > b.by,
          all.filter(({ by }) => by > 0),
        ),
      ],
      [
        'Largest decrease',
        most(
          (a, b) => a.by < b.by,
          all.filter(({ by }) => by < 0),
        ),
      ],
      ['Starts', startsAt ? formatMoment(startsAt, timeZone) : 'As soon as you launch'],
    ],
  }
}

type Changed = { product: TestProduct; variant: TestProductVariant; by: number }
/**
 * One line about all products and prices, for the review step: how many, and the largest decrease
 * and increase.
 */
export function pricesSummary(products: readonly TestProduct[]): string {
  if (products.length === 0) return 'None chosen'
  const all = products.flatMap(({ variants }) => variants),
    changed = changesOf(products)
  if (changed.length === 0) return `${totalWords(products)}; no price differs yet`
  const lowest = changed.reduce((a, b) => (b.by < a.by ? b : a)),
    highest = changed.reduce((a, b) => (b.by > a.by ? b : a))
  const told =
    lowest.by === highest.by
      ? `${changed.length > 1 ? 'each like ' : ''}${stepWords(lowest)}`
      : `from ${stepWords(lowest)} to ${stepWords(highest)}`
  const many =
    changed.length === all.length && all.length > 1
      ? 'all prices change'
      : `${formatCount(changed.length)} ${changed.length === 1 ? 'price changes' : 'prices change'}`
  return `${totalWords(products)}; ${many}: ${told}`
}

/** The prices that differ between the arms, each with its relative change. */
const changesOf = (products: readonly TestProduct[]): Changed[] =>
  products.flatMap(product =>
    product.variants.filter(isTested).map(variant => ({
      product,
      variant,
      by: variant.controlPrice > 0 ? variant.variantPrice / variant.controlPrice - 1 : 0,
    })),
  )
const stepWords = ({ product, variant, by }: Changed): string =>
  `${variantName(product.title, variant.title)} ${priceStep(variant.controlPrice, variant.variantPrice, product.currency)} (${formatLift(by)})`

/** The message after "Clear errors". */
export function clearedWords({
  cleared,
  removed,
  remaining,
}: Output<'clearProductErrors'>): string {
  if (cleared === 0 && removed === 0 && remaining === 0)
    return 'There were no errors. The products have the shop’s current prices.'
  return [
    cleared > removed &&
      `${counted(cleared - removed, 'product')} ${cleared - removed === 1 ? 'has' : 'have'} the shop’s present prices now.`,
    removed > 0 &&
      `${counted(removed, 'product')} that the shop no longer has ${removed === 1 ? 'was' : 'were'} removed.`,
    remaining > 0 &&
      `${counted(remaining, 'product')} still ${remaining === 1 ? 'has' : 'have'} errors.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The message after "Remove conflicted". */
export const removedWords = (removed: number): string =>
  removed === 0
    ? 'No product is in another running price test.'
    : `${counted(removed, 'product')} of other running price tests ${removed === 1 ? 'was' : 'were'} removed from this one.`

/** The message after "Add". */
export const addedWords = (added: number): string =>
  added === 1
    ? 'One product is added to the test.'
    : `${formatCount(added)} products are added to the test.`
