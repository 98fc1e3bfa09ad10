import { formatMoney } from '../money.ts'
import type { ProductError, ProductProblem, RunningTest, TestProduct } from './product.ts'

/** A product as the shop has it now, as far as a price test depends on it. */
export type ProductNow = {
  status: 'active' | 'draft' | 'archived'
  currency: string
  variants: { id: string; title: string; price: number }[]
}
type Checked = Pick<
  TestProduct,
  'id' | 'testId' | 'productId' | 'title' | 'currency' | 'variants' | 'conflicts'
>

/** Most products a test may hold: what the shop is asked for at once. */
export const maxProducts = 250

/**
 * How the shop differs from what a test was given: control's prices must be the shop's own. Null stands for a product
 * that is gone. What is new in the shop has one price in both arms, so it is no error once the test is launched.
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
          `${nameOf(title, variant.title)} costs ${money(present.price)} in the shop now; control was given ${money(variant.controlPrice)}.`,
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

/** All that stands between a price test's products and its running, product by product. `nowOf` answers the shop as it is. */
export function productProblems(
  products: readonly Checked[],
  nowOf: (productId: string) => ProductNow | null,
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

/** Whether the arms differ in a product variant's price: only then its price is the test's to change. */
export const isTested = ({
  controlPrice,
  variantPrice,
}: Pick<TestProduct['variants'][number], 'controlPrice' | 'variantPrice'>): boolean =>
  controlPrice !== variantPrice

export const conflictMessage = (product: string, { title }: RunningTest): string =>
  `${product} is in the running price test “${title}” already.`

/** Errors already noted stay; of the new, those that say something else join them. */
export function addErrors(
  noted: readonly ProductError[],
  found: readonly ProductError[],
): ProductError[] {
  const keyOf = ({ cause, variantId }: ProductError) => `${cause} ${variantId ?? ''}`
  const known = new Set(noted.map(keyOf))
  return [...noted, ...found.filter(error => !known.has(keyOf(error)))]
}

/** A product of one kind alone has a product variant of its own name, or of a name that says nothing. */
const nameOf = (product: string, variant: string): string =>
  !variant || variant === product || variant === 'Default Title'
    ? product
    : `${product}, ${variant}`
