import { sql, type SqlBool } from 'kysely'
import { addErrors, productErrors, type ProductNow } from '../../domain/products/product-check.ts'
import type { PriceWay } from '../../domain/platform/price-way.ts'
import type { EngineContext } from '../context.ts'
import type { ProductRecord, ProductVariantRecord } from '../platform/products.ts'
import { type ProductRow, testProduct } from './product-rows.ts'

/** The parts of the engine that product functions need. */
export type ProductContext = Pick<EngineContext, 'db' | 'clock' | 'platform'>

/** The shop's products as they are now, and the currency their prices are in. */
export type ShopNow = {
  currency: string
  priceWay: PriceWay
  products: Map<string, { product: ProductRecord; variants: ProductVariantRecord[] }>
  /** What a price test depends on; null when the product is gone. */
  nowOf: (productId: string) => ProductNow | null
}

/**
 * Asks the shop each time, without a cache. Throws HttpProblem 502 if the shop cannot be reached.
 */
export async function shopNow(
  { db, platform }: ProductContext,
  storeId: string,
  productIds: readonly string[],
): Promise<ShopNow> {
  const { shop } = await db.kysely
    .selectFrom('stores')
    .select('shop')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const ids = [...new Set(productIds)]
  const [{ currency }, { priceWay }, found] = await Promise.all([
    platform.shop(shop),
    platform.capabilities(shop),
    ids.length > 0 ? platform.productsById(shop, ids) : [],
  ])
  const products = new Map(found.map(each => [each.product.id, each]))
  return {
    currency,
    priceWay,
    products,
    nowOf: id => {
      const there = products.get(id)
      return there ? { status: there.product.status, currency, variants: there.variants } : null
    },
  }
}

/**
 * Stores the shop's current prices of these products and, as errors, how the shop differs from what
 * the test was given. Errors stay until they are cleared. A row that was changed meanwhile is left
 * to the next call.
 */
export async function noteErrors(
  { db, clock }: ProductContext,
  rows: readonly ProductRow[],
  { nowOf }: ShopNow,
): Promise<void> {
  for (const row of rows) {
    const now = nowOf(row.product_id)
    const errors = addErrors(row.errors, productErrors(testProduct(row), now))
    const present = new Map(now?.variants.map(variant => [variant.id, variant.price]))
    const variants = row.variants.map(variant => ({
      ...variant,
      price: present.get(variant.id) ?? variant.price,
    }))
    if (
      errors.length === row.errors.length &&
      variants.every(({ price }, i) => price === row.variants[i]!.price)
    )
      continue
    await db.kysely
      .updateTable('test_products')
      .set({
        errors: JSON.stringify(errors),
        variants: JSON.stringify(variants),
        updated_at: clock(),
      })
      .where('store_id', '=', row.store_id)
      .where('test_product_id', '=', row.test_product_id)
      .where(
        sql<SqlBool>`variants = ${JSON.stringify(row.variants)}::jsonb and errors = ${JSON.stringify(row.errors)}::jsonb`,
      )
      .execute()
  }
}
