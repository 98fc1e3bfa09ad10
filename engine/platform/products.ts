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
/** `cursor` is the `endCursor` of the page before when going forward, the `startCursor` when going backward; none begins at that end. */
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
  /** Whole products with all their product variants; those that are gone are left out. */
  productsById: (
    shop: string,
    ids: string[],
  ) => Promise<{ product: ProductRecord; variants: ProductVariantRecord[] }[]>
  countProducts: (shop: string, query?: string) => Promise<number>
  /** Everyone's prices, at once for all product variants of one product or for none (this is how a price winner is applied). */
  setPrices: (
    shop: string,
    productId: string,
    prices: { variantId: string; price: number }[],
  ) => Promise<void>
  /** The rules that the platform charges by now: all that it was given last and did not refuse. */
  priceRules: (shop: string) => Promise<PriceRuleSet[]>
  /** All rules of the running price tests at once, or none of them: what is refused (422) changes nothing; from then on the platform charges by them wherever a cart is priced. None takes them off. */
  setPriceRules: (shop: string, rules: readonly PriceRuleSet[]) => Promise<void>
}
