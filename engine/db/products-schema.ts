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

/**
 * A product in a price test. Until the launch sets `test_id`, it belongs to the draft. `draft_id`
 * stays.
 */
export type TestProductsTable = {
  store_id: string
  test_product_id: string
  /** Numbers the products in the order in which they were added. */
  seq: Generated<number>
  draft_id: string
  test_id: string | null
  /** The platform's id of the product. */
  product_id: string
  title: string
  handle: string
  path: string
  image: string | null
  currency: string
  rule: Json<PriceRule> | null
  /**
   * The rule that applied before the merchant typed prices by hand. It applies again once those
   * prices are removed.
   */
  rule_before: Json<PriceRule> | null
  variants: Json<TestProductVariant[]>
  /** Problems with the product in the shop, until they are cleared. */
  errors: Json<ProductError[]>
  created_at: Date
  updated_at: Date
}

export type AudiencesTable = {
  store_id: string
  audience_id: string
  name: string
  /** The name without upper and lower case. It is unique within a store. */
  name_key: string
  conditions: Json<AudienceValues>
  created_at: Date
  updated_at: Date
}

/**
 * The result of comparing an order with a price test, one row each. `cause` and `message` are set
 * when the charged price differs from the shown one. `is_unmarked`: the order came without cart
 * attributes.
 */
export type PriceChecksTable = {
  store_id: string
  test_id: string
  order_id: string
  at: Date
  is_unmarked: boolean
  cause: ChargeCause | null
  message: string | null
}
