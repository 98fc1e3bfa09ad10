import type { PriceRuleSet } from '../../domain/prices/price-test.ts'

/** Prices are minor units of the shop's currency; ids are the platform's, as text. */
export type ProductRecord = {
  id: string
  title: string
  handle: string
  path: string
  /** Absolute URL. */
  image: string | null
  status: 'active' | 'draft' | 'archived'
  variantCount: number
  minPrice: number
  maxPrice: number
  createdAt: string
  updatedAt: string
}
export type ProductVariantRecord = {
  id: string
  productId: string
  title: string
  price: number
  compareAtPrice: number | null
  createdAt: string
  updatedAt: string
}
/** A page of a list, with opaque cursors at both ends. */
export type CursorPage<T> = {
  items: T[]
  startCursor: string | null
  endCursor: string | null
  hasPrevious: boolean
  hasNext: boolean
}
/**
 * `cursor`: the `endCursor` of the page before when going forward, its `startCursor` when going
 * backward. Without a cursor, the list begins at that end.
 */
export type CursorAsk = { direction: 'forward' | 'backward'; cursor?: string; pageSize: number }

export type PlatformProducts = {
  searchProducts: (
    shop: string,
    ask: CursorAsk & { query: string },
  ) => Promise<CursorPage<ProductRecord>>
  productVariants: (
    shop: string,
    productId: string,
    ask: CursorAsk,
  ) => Promise<CursorPage<ProductVariantRecord>>
  /** Whole products with all their product variants. Products that no longer exist are left out. */
  productsById: (
    shop: string,
    ids: string[],
  ) => Promise<{ product: ProductRecord; variants: ProductVariantRecord[] }[]>
  countProducts: (shop: string, query?: string) => Promise<number>
  /**
   * Sets the prices for everyone, of all given product variants (at most 250) of one product or of
   * none. A platform without `wholeWrites` may set a part of them and throw PartialWrite. This
   * applies the winner of a price test.
   */
  setPrices: (
    shop: string,
    productId: string,
    prices: { variantId: string; price: number }[],
  ) => Promise<void>
  /**
   * Names of the shop's markets that have a price list of their own. The platform charges no price
   * rule there, and pages tell the script so (page-facts.ts, `rate`).
   */
  priceListMarkets: (shop: string) => Promise<string[]>
  /**
   * The rules that the platform charges by now: the last that we sent and that it did not refuse.
   */
  priceRules: (shop: string) => Promise<PriceRuleSet[]>
  /**
   * Replaces all rules of the running price tests, or none: a refusal (422) changes nothing. From
   * then on the platform charges by these rules wherever it prices a cart. An empty list removes
   * all rules.
   */
  setPriceRules: (shop: string, rules: readonly PriceRuleSet[]) => Promise<void>
}
