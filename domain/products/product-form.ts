import type { Posted } from '../posted.ts'
import { formatMoney, minorDigits, minorFromDecimal } from '../money.ts'
import { highestPrice, priceBy, type PriceRule, ruleProblem } from '../prices/price-rule.ts'
import { canCharge, cannotCharge, type PriceWay } from '../platform/price-way.ts'
import type { FieldProblem } from '../problem.ts'
import type { TestProduct, TestProductVariant } from './product.ts'

/**
 * The fields of the "Products and prices" step: how they are named, and how typed values are read.
 * Pure functions.
 */

/**
 * Name of the field for a product variant's price in the test's variant. Row ids contain no point.
 */
export const priceField = (rowId: string, variantId: string): string =>
  `prices.${rowId}.${variantId}`

type Read<T> = { value: T } | { problem: string }

/**
 * Reads a typed price, or an amount by which a price changes: "29.99", "29,99" or "1,299.00".
 * Returns minor units, or what is wrong.
 */
export function readPrice(
  text: string,
  currency: string,
  noun: 'price' | 'amount' = 'price',
): Read<number> {
  const digits = minorDigits(currency),
    plain = plainNumber(text),
    a = noun === 'price' ? 'a price' : 'an amount',
    A = a.replace('a', 'A')
  if (plain === null)
    return {
      problem: text.trim()
        ? `“${text.trim().slice(0, 20)}” is not ${a}. Write it like ${examplePrice(currency)}.`
        : `Write ${a}, for example ${examplePrice(currency)}.`,
    }
  const [whole = '', part = ''] = plain.replace(/^-/, '').split('.')
  if (/[1-9]/.test(part.slice(digits)))
    return {
      problem:
        digits === 0
          ? `${A} in ${currency} has no decimals.`
          : `${A} in ${currency} has at most ${digits} decimals.`,
    }
  if (plain.startsWith('-') || !/[1-9]/.test(whole + part)) return { problem: `${A} is above 0.` }
  const price = minorFromDecimal(
    `${whole.replace(/^0+(?=\d)/, '') || '0'}${digits > 0 && part ? `.${part.slice(0, digits)}` : ''}`,
    currency,
  )
  return price === null || price > highestPrice
    ? { problem: `The highest ${noun} is ${formatMoney(highestPrice, currency)}.` }
    : { value: price }
}

const examplePrice = (currency: string): string => (29.99).toFixed(minorDigits(currency))

/**
 * Converts a typed number to digits with at most one point; null when it is not a number. A comma
 * separates thousands or is the decimal point.
 */
function plainNumber(text: string): string | null {
  const figure = text.trim().replace(/−/g, '-')
  if (/^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(figure)) return figure.replaceAll(',', '')
  const pointed = figure.replace(/^(-?\d*),(\d*)$/, '$1.$2')
  return /^-?(\d+\.?\d*|\.\d+)$/.test(pointed) ? pointed.replace(/^(-?)\./, '$10.') : null
}

/** Why the shop cannot charge this price of a product variant; null when it can. */
export const chargeProblem = (
  way: PriceWay,
  { title, currency }: Pick<TestProduct, 'title' | 'currency'>,
  { title: name, controlPrice }: Pick<TestProductVariant, 'title' | 'controlPrice'>,
  price: number,
): string | null =>
  canCharge(way, price, controlPrice)
    ? null
    : cannotCharge(way, variantName(title, name), formatMoney(controlPrice, currency))

export type SetPrices = { rowId: string; prices: { variantId: string; price: number }[] }
/**
 * Reads the posted price fields. Returns the prices that differ from the stored ones, or all prices
 * with `isWhole`, and the problems at their fields. `way`: how the shop charges prices.
 */
export function postedPrices(
  products: readonly TestProduct[],
  posted: Posted,
  { isWhole = false, way = 'transform' }: { isWhole?: boolean; way?: PriceWay } = {},
): { changes: SetPrices[]; problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  const changes = products
    .map(({ id, title, currency, variants }) => ({
      rowId: id,
      prices: variants.flatMap(variant => {
        const field = priceField(id, variant.id),
          text = posted[field]
        if (typeof text !== 'string') return []
        const read = readPrice(text, currency)
        if ('problem' in read) {
          problems.push({ field, message: read.problem })
          return []
        }
        const message = chargeProblem(way, { title, currency }, variant, read.value)
        if (message) {
          problems.push({ field, message })
          return []
        }
        return read.value === variant.variantPrice && !isWhole
          ? []
          : [{ variantId: variant.id, price: read.value }]
      }),
    }))
    .filter(({ prices }) => prices.length > 0)
  return { changes, problems }
}

/** The kinds of rule in the form. The number has no sign: the kind says up or down. */
export const ruleWays = {
  set: 'Set every price to',
  more: 'Raise by an amount',
  less: 'Lower by an amount',
  percentMore: 'Raise by percent',
  percentLess: 'Lower by percent',
} as const
export type RuleWay = keyof typeof ruleWays
/**
 * The fields of a rule. `of` in the functions below: the id of a product's row in the test, or
 * "all".
 */
export type RuleForm = { way: RuleWay; value: string; isCharm: boolean }
export const everyProduct = 'all'
export const ruleField = (of: string, part: 'way' | 'value' | 'charm'): string =>
  `rule.${of}.${part}`

/** Reads the posted fields of the rule of one product, or of all. */
export function postedRule(posted: Posted, of: string): RuleForm {
  const way = posted[ruleField(of, 'way')],
    value = posted[ruleField(of, 'value')]
  return {
    way: isWay(way) ? way : 'percentLess',
    value: typeof value === 'string' ? value : '',
    isCharm: posted[ruleField(of, 'charm')] !== undefined,
  }
}
export const isWay = (way: unknown): way is RuleWay =>
  typeof way === 'string' && Object.hasOwn(ruleWays, way)

/** Makes the rule from its fields, or says what is wrong. */
export function readRule({ way, value, isCharm }: RuleForm, currency: string): Read<PriceRule> {
  const rounding = isCharm && minorDigits(currency) > 0 ? { rounding: 'charm' as const } : {}
  if (way === 'percentMore' || way === 'percentLess') {
    const plain = plainNumber(value.replace(/\s*%\s*$/, ''))
    if (plain === null) return { problem: 'Write a number of percent, for example 10.' }
    if (plain.startsWith('-')) return { problem: 'Write it without a sign, for example 10.' }
    const percent = Number(plain) * (way === 'percentLess' ? -1 : 1)
    if (!(Math.abs(percent) <= 1_000_000)) return { problem: 'Write at most 1,000,000 percent.' }
    const problem = ruleProblem({ kind: 'percent', value: percent })
    return problem ? { problem } : { value: { kind: 'percent', value: percent || 0, ...rounding } }
  }
  if (way !== 'set' && plainNumber(value)?.startsWith('-'))
    return { problem: 'Write it without a sign, for example 5.' }
  const amount =
    way !== 'set' && /^[0.,]*0[0.,]*$/.test(value.trim())
      ? { value: 0 }
      : readPrice(value, currency, way === 'set' ? 'price' : 'amount')
  if ('problem' in amount) return amount
  return {
    value: {
      kind: way === 'set' ? 'set' : 'amount',
      value: way === 'less' ? -amount.value || 0 : amount.value,
      ...rounding,
    },
  }
}

/** The fields for a stored rule. */
export function formOfRule(rule: PriceRule | null, currency: string): RuleForm {
  if (!rule) return { way: 'percentLess', value: '', isCharm: false }
  const figure = Math.abs(rule.value),
    isCharm = rule.rounding === 'charm'
  if (rule.kind === 'percent')
    return { way: rule.value < 0 ? 'percentLess' : 'percentMore', value: String(figure), isCharm }
  return {
    way: rule.kind === 'set' ? 'set' : rule.value < 0 ? 'less' : 'more',
    value: (figure / 10 ** minorDigits(currency)).toFixed(minorDigits(currency)),
    isCharm,
  }
}

export type PricePreview = {
  changes: { product: string; variant: TestProductVariant; price: number }[]
  problem: string | null
}
/**
 * The prices that a rule would make, before anything is stored. `problem` names the first product
 * variant that would get no valid price, or one that the shop cannot charge (`way`).
 */
export function previewRule(
  products: readonly TestProduct[],
  rule: PriceRule,
  way: PriceWay = 'transform',
): PricePreview {
  const made = products.flatMap(({ title, currency, variants }) =>
    variants.map(variant => ({
      product: title,
      currency,
      variant,
      price: priceBy(rule, variant.price, currency),
    })),
  )
  const changes = made.flatMap(({ product, variant, price }) =>
    price === null ? [] : [{ product, variant, price }],
  )
  const without = made.find(({ price }) => price === null)
  const refused = made
    .map(({ product: title, currency, variant, price }) =>
      price === null
        ? null
        : chargeProblem(
            way,
            { title, currency },
            { ...variant, controlPrice: variant.price },
            price,
          ),
    )
    .find(message => message !== null)
  return {
    changes,
    problem: without
      ? `The rule leaves ${variantName(without.product, without.variant.title)} without a price that a shop can charge.`
      : (refused ?? null),
  }
}

/** "Mug, Large"; only the product's name when the product variant has no name of its own. */
export const variantName = (product: string, variant: string): string =>
  isNamed(product, variant) ? `${product}, ${variant}` : product
export const isNamed = (product: string, variant: string): boolean =>
  variant !== '' && variant !== product && variant !== 'Default Title'
