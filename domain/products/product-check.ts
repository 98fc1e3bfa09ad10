import { formatMoney } from '../money.ts'
import { canCharge, cannotCharge, type PriceWay } from '../platform/price-way.ts'
import type { ProductError, ProductProblem, RunningTest, TestProduct } from './product.ts'

/** The parts of a product in the shop that a price test depends on, as they are now. */
export type ProductNow = {
  status: 'active' | 'draft' | 'archived'
  currency: string
  variants: { id: string; title: string; price: number }[]
}
type Checked = Pick<
  TestProduct,
  'id' | 'testId' | 'productId' | 'title' | 'currency' | 'variants' | 'conflicts'
>

/** Maximum number of products in a test: one request to the shop can ask for this many. */
export const maxProducts = 250

/**
 * How the shop differs from the product in a test: the control's prices must be the shop's own.
 * `now` is null when the product is gone from the shop. A new product variant is an error only in a
 * draft: in a launched test it has the shop's price in both arms.
 */
export function productErrors(
  {
    testId,
    title,
    currency,
    variants,
  }: Pick<Checked, 'testId' | 'title' | 'currency' | 'variants'>,
  now: ProductNow | null,
): ProductError[] {
  const error = (
    cause: ProductError['cause'],
    message: string,
    variantId: string | null = null,
  ): ProductError => ({ cause, variantId, message })
  if (!now) return [error('productGone', `${title} is no longer in the shop.`)]
  const money = (price: number) => formatMoney(price, currency)
  const there = new Map(now.variants.map(variant => [variant.id, variant]))
  const known = new Set(variants.map(variant => variant.id))
  return [
    ...(now.status === 'active'
      ? []
      : [error('notForSale', `${title} is not for sale in the shop.`)]),
    ...(now.currency === currency
      ? []
      : [
          error(
            'currencyChanged',
            `The shop’s currency is ${now.currency} now; the prices of ${title} are in ${currency}.`,
          ),
        ]),
    ...variants.flatMap(variant => {
      const present = there.get(variant.id)
      if (!present)
        return [
          error(
            'variantGone',
            `${nameOf(title, variant.title)} is no longer in the shop.`,
            variant.id,
          ),
        ]
      if (now.currency !== currency || present.price === variant.controlPrice) return []
      return [
        error(
          'priceChanged',
          `${nameOf(title, variant.title)} costs ${money(present.price)} in the shop now; the control’s price is ${money(variant.controlPrice)}.`,
          variant.id,
        ),
      ]
    }),
    ...now.variants
      .filter(variant => !testId && !known.has(variant.id))
      .map(variant =>
        error(
          'variantNew',
          `${nameOf(title, variant.title)} is new in the shop and has no price in the test.`,
          variant.id,
        ),
      ),
  ]
}

/**
 * All problems of a price test's products that prevent it from running. `nowOf` returns a product
 * as the shop has it now; `way`: how the shop charges prices.
 */
export function productProblems(
  products: readonly Checked[],
  nowOf: (productId: string) => ProductNow | null,
  way: PriceWay = 'transform',
): ProductProblem[] {
  if (products.length === 0)
    return [
      {
        id: null,
        productId: null,
        variantId: null,
        cause: 'noProducts',
        message: 'Add at least one product.',
      },
    ]
  const problems = products.flatMap(product => {
    const at = (
      cause: ProductProblem['cause'],
      message: string,
      variantId: string | null = null,
    ): ProductProblem => ({
      id: product.id,
      productId: product.productId,
      variantId,
      cause,
      message,
    })
    return [
      ...productErrors(product, nowOf(product.productId)).map(({ cause, message, variantId }) =>
        at(cause, message, variantId),
      ),
      ...product.variants
        .filter(variant => !(variant.variantPrice > 0))
        .map(variant =>
          at(
            'priceMissing',
            `${nameOf(product.title, variant.title)} needs a price above 0 in the variant.`,
            variant.id,
          ),
        ),
      ...product.variants
        .filter(
          ({ variantPrice, controlPrice }) =>
            variantPrice > 0 && !canCharge(way, variantPrice, controlPrice),
        )
        .map(({ id, title, controlPrice }) =>
          at(
            'cannotCharge',
            cannotCharge(
              way,
              nameOf(product.title, title),
              formatMoney(controlPrice, product.currency),
            ),
            id,
          ),
        ),
      ...product.conflicts.map(test => at('conflict', conflictMessage(product.title, test))),
    ]
  })
  const isSame = !products.some(({ variants }) => variants.some(isTested))
  return isSame
    ? [
        ...problems,
        {
          id: null,
          productId: null,
          variantId: null,
          cause: 'samePrices',
          message: 'Change at least one price. Otherwise control and variant are the same.',
        },
      ]
    : problems
}

/**
 * Whether the arms have different prices for a product variant. The test changes only such prices.
 */
export const isTested = ({
  controlPrice,
  variantPrice,
}: Pick<TestProduct['variants'][number], 'controlPrice' | 'variantPrice'>): boolean =>
  controlPrice !== variantPrice

export const conflictMessage = (product: string, { title }: RunningTest): string =>
  `${product} is in the running price test “${title}” already.`

/**
 * Adds the found errors to the noted ones, without those that have the same cause and product
 * variant.
 */
export function addErrors(
  noted: readonly ProductError[],
  found: readonly ProductError[],
): ProductError[] {
  const keyOf = ({ cause, variantId }: ProductError) => `${cause} ${variantId ?? ''}`
  const known = new Set(noted.map(keyOf))
  return [...noted, ...found.filter(error => !known.has(keyOf(error)))]
}

/**
 * "Mug, Large". Only the product's name when its single product variant has the same name, none, or
 * "Default Title".
 */
const nameOf = (product: string, variant: string): string =>
  !variant || variant === product || variant === 'Default Title'
    ? product
    : `${product}, ${variant}`
