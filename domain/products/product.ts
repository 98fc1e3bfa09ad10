import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../api/call.ts'
import { highestPrice, priceRoundings, priceRuleKinds } from '../prices/price-rule.ts'

/**
 * Prices are integers in minor units of the currency. Ids of products and product variants are
 * those of the platform, as text.
 */
const Price = Type.Integer()
/** A price that a merchant can set. */
export const NewPrice = Type.Integer({ minimum: 1, maximum: highestPrice })
export const PlatformId = Type.String({ minLength: 1, maxLength: 64 })
/** Prices of product variants in the test's variant. */
export const Prices = Type.Array(Type.Object({ variantId: PlatformId, price: NewPrice }, closed), {
  minItems: 1,
  maxItems: 2048,
})

export const PriceRule = Type.Object(
  {
    kind: Type.Enum([...priceRuleKinds]),
    value: Type.Number({ minimum: -highestPrice, maximum: highestPrice }),
    rounding: Type.Optional(Type.Enum([...priceRoundings])),
  },
  closed,
)

export const ProductVariant = Type.Object({
  id: Type.String(),
  productId: Type.String(),
  title: Type.String(),
  price: Price,
  compareAtPrice: Maybe(Price),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ProductVariant = Type.Static<typeof ProductVariant>

/** A running test of a product. */
export const RunningTest = Type.Object({ testId: Type.String(), title: Type.String() })
export type RunningTest = Type.Static<typeof RunningTest>

/** A product as the shop has it now. */
export const ShopProduct = Type.Object({
  id: Type.String(),
  title: Type.String(),
  handle: Type.String(),
  path: Type.String(),
  image: Maybe(Type.String()),
  status: Type.Enum(['active', 'draft', 'archived']),
  minPrice: Price,
  maxPrice: Price,
  currency: Type.String(),
  createdAt: Instant,
  updatedAt: Instant,
  variantCount: Type.Integer(),
  /** The first product variants; the call `productVariants` lists all. */
  variants: Type.Array(ProductVariant),
  /** Running price tests of the product. It can be in only one at a time. */
  conflicts: Type.Array(RunningTest),
})
export type ShopProduct = Type.Static<typeof ShopProduct>

/**
 * A product variant in a price test: the shop's price, and the prices in the control and in the
 * variant.
 */
export const TestProductVariant = Type.Object({
  id: Type.String(),
  title: Type.String(),
  /** The shop's own price, as last read. */
  price: Price,
  compareAtPrice: Maybe(Price),
  controlPrice: Price,
  variantPrice: Price,
  createdAt: Instant,
  updatedAt: Instant,
})
export type TestProductVariant = Type.Static<typeof TestProductVariant>

export const productErrors = [
  'productGone',
  'notForSale',
  'variantGone',
  'variantNew',
  'priceChanged',
  'currencyChanged',
] as const
export const ProductError = Type.Object({
  cause: Type.Enum([...productErrors]),
  variantId: Maybe(Type.String()),
  message: Type.String(),
})
export type ProductError = Type.Static<typeof ProductError>

export const TestProduct = Type.Object({
  id: Type.String(),
  /** One of the two is set: the draft until its launch, then the test. */
  testDraftId: Maybe(Type.String()),
  testId: Maybe(Type.String()),
  productId: Type.String(),
  title: Type.String(),
  handle: Type.String(),
  path: Type.String(),
  image: Maybe(Type.String()),
  currency: Type.String(),
  /** The rule that makes the variant's prices; null when they were set by hand or not at all. */
  rule: Maybe(PriceRule),
  variantCount: Type.Integer(),
  variants: Type.Array(TestProductVariant),
  /** Changes in the shop that conflict with the test. They stay until they are cleared. */
  errors: Type.Array(ProductError),
  /** Other running price tests of the product. */
  conflicts: Type.Array(RunningTest),
  createdAt: Instant,
  updatedAt: Instant,
})
export type TestProduct = Type.Static<typeof TestProduct>

/** A page of products (requirements 7.21). Pages count from 0. */
export const ProductPage = Type.Object({
  products: Type.Array(TestProduct),
  totalCount: Type.Integer(),
  page: Type.Integer(),
  limit: Type.Integer(),
  totalPages: Type.Integer(),
})

/**
 * Problems of a test's products that prevent it from running. `id` is null when the problem is
 * about the whole list.
 */
export const productProblemCauses = [
  ...productErrors,
  'conflict',
  'priceMissing',
  'cannotCharge',
  'samePrices',
  'noProducts',
] as const
export const ProductProblem = Type.Object({
  id: Maybe(Type.String()),
  productId: Maybe(Type.String()),
  variantId: Maybe(Type.String()),
  cause: Type.Enum([...productProblemCauses]),
  message: Type.String(),
})
export type ProductProblem = Type.Static<typeof ProductProblem>
