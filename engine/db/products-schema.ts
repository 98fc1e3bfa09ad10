import type { Generated } from 'kysely'
import type { AudienceValues } from '../../domain/audiences/audience-match.ts'
import type { ChargeCause } from '../../domain/prices/line-check.ts'
import type { PriceRule } from '../../domain/prices/price-rule.ts'
import type { ProductError, TestProductVariant } from '../../domain/products/product.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0007 and 0033. */
export type ProductsSchema = {
  test_products: TestProductsTable
  price_checks: PriceChecksTable
  audiences: AudiencesTable
}

/** A product in a price test. It is the draft's until launch names the test; `draft_id` stays. */
export type TestProductsTable = {
  store_id: string
  test_product_id: string
  /** The order they were added in. */
  seq: Generated<number>
  draft_id: string
  test_id: string | null
  /** The platform's. */
  product_id: string
  title: string
  handle: string
  path: string
  image: string | null
  currency: string
  rule: Json<PriceRule> | null
  /** The rule that prices typed by hand took the place of: it is followed again once the prices are its own again. */
  rule_before: Json<PriceRule> | null
  variants: Json<TestProductVariant[]>
  /** What has happened to it in the shop, until it is cleared. */
  errors: Json<ProductError[]>
  created_at: Date
  updated_at: Date
}

export type AudiencesTable = {
  store_id: string
  audience_id: string
  name: string
  /** The name without its case: no two alike in a store. */
  name_key: string
  conditions: Json<AudienceValues>
  created_at: Date
  updated_at: Date
}

/** An order held against a price test, once. `cause` and `message` where it was charged otherwise than shown; `is_unmarked`: it came without cart attributes. */
export type PriceChecksTable = {
  store_id: string
  test_id: string
  order_id: string
  at: Date
  is_unmarked: boolean
  cause: ChargeCause | null
  message: string | null
}
