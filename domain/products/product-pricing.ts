import { formatMoney } from '../money.ts'
import { canCharge, cannotCharge, type PriceWay } from '../platform/price-way.ts'
import { priceBy, type PriceRule, ruleProblem } from '../prices/price-rule.ts'
import type { FieldProblem } from '../problem.ts'
import type { ProductVariant, TestProductVariant } from './product.ts'

/**
 * What a merchant sets for the variant's prices: prices by hand or a rule. With neither they stay
 * as they are. `rule` null removes the rule and keeps its prices.
 */
export type Pricing = {
  prices?: readonly { variantId: string; price: number }[]
  rule?: PriceRule | null
}
export type Priced = { rule: PriceRule | null; variants: TestProductVariant[] }

/**
 * Computes a product's prices in a test from the shop's present prices, the prices in the test so
 * far (`known`) and the merchant's input. The control has the shop's own price; the variant has the
 * price set by hand or made by the rule.
 * `way`: how the shop charges prices. Throws nothing: `problems` lists what is not valid, at fields
 * that begin with `at`.
 */
export function pricedProduct(
  shop: readonly Omit<ProductVariant, 'productId'>[],
  known: Priced | null,
  { prices, rule }: Pricing,
  currency: string,
  at = '',
  way: PriceWay = 'transform',
): Priced & { problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  if (prices && rule)
    problems.push({
      field: `${at}rule`,
      message: 'Set prices by hand or by a rule, not both at once.',
    })
  const follows = prices ? null : rule === undefined ? (known?.rule ?? null) : rule
  const wrong = follows && ruleProblem(follows)
  if (wrong) problems.push({ field: `${at}rule.value`, message: wrong })
  const set = new Map<string, number>()
  prices?.forEach(({ variantId, price }, i) => {
    if (set.has(variantId))
      problems.push({
        field: `${at}prices.${i}.variantId`,
        message: 'This product variant is listed above already.',
      })
    else if (!shop.some(({ id }) => id === variantId))
      problems.push({
        field: `${at}prices.${i}.variantId`,
        message: 'The product has no such product variant.',
      })
    set.set(variantId, price)
  })

  const before = new Map(known?.variants.map(variant => [variant.id, variant]))
  const variants = shop.map(
    ({ id, title, price, compareAtPrice, createdAt, updatedAt }): TestProductVariant => {
      const made = follows && !wrong ? priceBy(follows, price, currency) : null
      if (
        follows &&
        !wrong &&
        made === null &&
        !problems.some(({ field }) => field === `${at}rule`)
      )
        problems.push({
          field: `${at}rule`,
          message: `The rule leaves ${title} without a price that a shop can charge.`,
        })
      return {
        id,
        title,
        price,
        compareAtPrice,
        controlPrice: price,
        variantPrice: set.get(id) ?? made ?? keptPrice(before.get(id), price),
        createdAt,
        updatedAt,
      }
    },
  )
  // Only what is given now counts: a price that was stored before the shop lost the way is shown by
  // the checks, and does not keep the merchant from changing another.
  const chargeable = (price: number, shopPrice: number, title: string, field: string): void => {
    if (canCharge(way, price, shopPrice) || problems.some(problem => problem.field === field))
      return
    problems.push({ field, message: cannotCharge(way, title, formatMoney(shopPrice, currency)) })
  }
  prices?.forEach(({ variantId, price }, i) => {
    const own = variants.find(({ id }) => id === variantId)
    if (own) chargeable(price, own.controlPrice, own.title, `${at}prices.${i}.price`)
  })
  if (rule && !wrong)
    for (const { title, controlPrice, variantPrice } of variants)
      chargeable(variantPrice, controlPrice, title, `${at}rule`)
  return { rule: follows, variants, problems }
}

/**
 * Whether the rule makes all of the variant's prices from the control's. After typed prices were
 * undone, it does so again.
 */
export const followsRule = (
  rule: PriceRule,
  variants: readonly Pick<TestProductVariant, 'controlPrice' | 'variantPrice'>[],
  currency: string,
): boolean =>
  ruleProblem(rule) === null &&
  variants.every(
    ({ controlPrice, variantPrice }) => priceBy(rule, controlPrice, currency) === variantPrice,
  )

/** Keeps a price that differs from the control's. Any other price follows the shop's price. */
const keptPrice = (before: TestProductVariant | undefined, price: number): number =>
  before && before.variantPrice !== before.controlPrice ? before.variantPrice : price
