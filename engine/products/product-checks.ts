import { HttpProblem } from '../../domain/problem.ts'
import type { ProductProblem } from '../../domain/products/product.ts'
import { productErrors, productProblems } from '../../domain/products/product-check.ts'
import { type TestStatus, statusLabels } from '../../domain/tests/test-status.ts'
import { productColumns, touchDraft } from './product-changes.ts'
import { productRows, type ProductRow, type TestOrDraft, testProduct } from './product-rows.ts'
import { type ProductContext, shopNow, type ShopNow } from './product-shop.ts'
import { notFound } from '../http/routes.ts'
import type { Trx } from '../db/types.ts'

/**
 * Problems that prevent a test from running with these products, as the shop is now. Stores
 * nothing.
 */
export async function validateProducts(
  context: ProductContext,
  owner: TestOrDraft,
): Promise<ProductProblem[]> {
  const rows = await productRows(context.db.kysely, owner)
  const { nowOf, priceWay } = await shopNow(
    context,
    owner.storeId,
    rows.map(row => row.product_id),
  )
  return productProblems(rows.map(testProduct), nowOf, priceWay)
}

/**
 * Updates the products from the shop as it is now. A draft's products are read again, and products
 * that are gone are removed. In a launched test prices are fixed, so an error stays as long as its
 * cause is there; products and product variants that nobody can buy any more are removed, but only
 * while the test is neither active nor ended.
 */
export async function clearErrors(
  context: ProductContext,
  owner: TestOrDraft,
): Promise<{ cleared: number; removed: number; remaining: number }> {
  const { db } = context
  const products = (await productRows(db.kysely, owner)).map(row => row.product_id)
  const shop = await shopNow(context, owner.storeId, products)
  return db.kysely.transaction().execute(async trx => {
    const isFixed =
      'testId' in owner && keepsProducts(await holdTest(trx, owner.storeId, owner.testId))
    if ('draftId' in owner) await touchDraft(context, trx, owner.storeId, owner.draftId)
    // Skips products that were added after we asked the shop: we know nothing about them yet.
    const rows = (await productRows(trx, owner)).filter(row => products.includes(row.product_id))
    const stays = rows.filter(row => shop.nowOf(row.product_id))
    const counts = { cleared: 0, removed: 0, remaining: 0 }
    for (const row of rows) {
      const isRemoved =
        !shop.nowOf(row.product_id) && !isFixed && ('draftId' in owner || stays.length > 0)
      const isWrong = isRemoved
        ? await remove(trx, row)
        : await write(context, trx, row, shop, isFixed)
      if (isRemoved) counts.removed++
      if (isWrong) counts.remaining++
      else if (row.errors.length > 0 || isRemoved) counts.cleared++
    }
    return counts
  })
}

/** Updates a row; returns whether errors remain. */
async function write(
  { clock }: ProductContext,
  trx: Trx,
  row: ProductRow,
  shop: ShopNow,
  isFixed: boolean,
): Promise<boolean> {
  const columns =
    row.test_id || !shop.nowOf(row.product_id)
      ? launchedColumns(row, shop, isFixed)
      : draftColumns(row, shop)
  await trx
    .updateTable('test_products')
    .set({ ...columns, updated_at: clock() })
    .where('store_id', '=', row.store_id)
    .where('test_product_id', '=', row.test_product_id)
    .execute()
  return columns.errors !== '[]'
}

function draftColumns(row: ProductRow, shop: ShopNow) {
  const { problems, ...columns } = productColumns(shop, row.product_id, row, {})
  if (problems.length === 0) return columns
  // The rule cannot make a price from the shop's new one. Its prices stay as if set by hand, for
  // the merchant to check.
  const { problems: _, ...byHand } = productColumns(shop, row.product_id, row, { rule: null })
  return byHand
}

function launchedColumns(row: ProductRow, { nowOf }: ShopNow, isFixed: boolean) {
  const now = nowOf(row.product_id)
  const present = row.variants.filter(variant => now?.variants.some(({ id }) => id === variant.id))
  const variants = isFixed || present.length === 0 ? row.variants : present
  return {
    variants: JSON.stringify(variants),
    errors: JSON.stringify(productErrors(testProduct({ ...row, variants }), now)),
  }
}

/**
 * Removes the products that another running price test has; returns how many. Throws HttpProblem
 * 409 if the test must keep its products, or would keep none.
 */
export async function removeConflicted(
  context: ProductContext,
  owner: TestOrDraft,
): Promise<number> {
  return context.db.kysely.transaction().execute(async trx => {
    if ('draftId' in owner) await touchDraft(context, trx, owner.storeId, owner.draftId)
    const status = 'testId' in owner ? await holdTest(trx, owner.storeId, owner.testId) : null
    const rows = await productRows(trx, owner)
    const conflicted = rows.filter(row => row.conflicts.length > 0)
    if (conflicted.length === 0) return 0
    if (status && keepsProducts(status))
      throw new HttpProblem(
        409,
        `You cannot remove products from a test that is ${statusLabels[status].toLowerCase()}.`,
      )
    if (status && conflicted.length === rows.length)
      throw new HttpProblem(
        409,
        'All of the test’s products are in other running price tests. End one of those, or this one.',
      )
    for (const row of conflicted) await remove(trx, row)
    return conflicted.length
  })
}

async function remove(trx: Trx, row: ProductRow): Promise<false> {
  await trx
    .deleteFrom('test_products')
    .where('store_id', '=', row.store_id)
    .where('test_product_id', '=', row.test_product_id)
    .execute()
  return false
}

/** Shoppers see the test, or its result is final: its products may not change. */
const keepsProducts = (status: TestStatus): boolean => status === 'Active' || status === 'Ended'

async function holdTest(trx: Trx, storeId: string, testId: string): Promise<TestStatus> {
  const test = await trx
    .selectFrom('tests')
    .select('status')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .forUpdate()
    .executeTakeFirst()
  if (!test) throw notFound('test')
  return test.status
}
