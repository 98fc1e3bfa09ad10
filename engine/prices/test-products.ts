import { sql } from 'kysely'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import type { ProductProblem } from '../../domain/products/product.ts'
import {
  conflictMessage,
  isTested,
  productProblems as problemsOf,
} from '../../domain/products/product-check.ts'
import type { EngineContext } from '../context.ts'
import type { Step } from '../journal/journal-contract.ts'
import { productRows, type ProductRow, testProduct } from '../products/product-rows.ts'
import { noteErrors, type ProductContext, shopNow, type ShopNow } from '../products/product-shop.ts'
import type { Trx } from '../db/types.ts'

/** Why a price test cannot continue, with a message for its merchant. */
export type ProductTrouble = {
  cause: 'productGone' | 'productConflict' | 'priceMismatch' | 'priceRefused'
  message: string
}

const troubleOf: Partial<Record<ProductProblem['cause'], ProductTrouble['cause']>> = {
  productGone: 'productGone',
  notForSale: 'productGone',
  variantGone: 'productGone',
  conflict: 'productConflict',
  priceChanged: 'priceMismatch',
  currencyChanged: 'priceMismatch',
  cannotCharge: 'priceRefused',
}
const troubles = ['productGone', 'productConflict', 'priceMismatch', 'priceRefused'] as const

/**
 * The problems with a price test's products that must be fixed before launch, as the shop is now.
 * Empty for a draft of another kind.
 */
export async function productProblems(
  context: ProductContext,
  storeId: string,
  draftId: string,
): Promise<FieldProblem[]> {
  const { kysely } = context.db
  const draft = await kysely
    .selectFrom('drafts')
    .select('kind')
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .executeTakeFirst()
  if (draft?.kind !== 'Price') return []
  const rows = await productRows(kysely, { storeId, draftId })
  const shop = await shopNow(
    context,
    storeId,
    rows.map(row => row.product_id),
  )
  await noteErrors(context, rows, shop)
  const place = new Map(rows.map((row, i) => [row.test_product_id, i]))
  // A shop without test prices is one problem of the whole test, which its own check names.
  const way = shop.priceWay === 'none' ? 'transform' : shop.priceWay
  return problemsOf(rows.map(testProduct), shop.nowOf, way).map(({ id, message }) => ({
    field: id ? `products.${place.get(id)}` : 'products',
    message,
  }))
}

/**
 * Moves the draft's products to the test, within the transaction that creates the test (its row
 * exists already).
 * Throws HttpProblem 400 if another running price test has one of the products; of two tests that
 * start at the same moment, the second is refused.
 */
export async function productsLaunched(
  trx: Trx,
  storeId: string,
  draftId: string,
  testId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('test_products')
    .set({ test_id: testId })
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  const test = await trx
    .selectFrom('tests')
    .select('status')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  if (test?.status !== 'Active') return
  const problems = (await conflictsAtStart(trx, storeId, testId)).map(({ place, message }) => ({
    field: `products.${place}`,
    message,
  }))
  if (problems.length > 0) throw new HttpProblem(400, 'This test is not ready to launch.', problems)
}

/**
 * Other running price tests on a test's products, by the product's place in the test. Takes a lock:
 * until the transaction ends no other price test of the store starts.
 */
export async function conflictsAtStart(
  trx: Trx,
  storeId: string,
  testId: string,
): Promise<{ place: number; message: string }[]> {
  await sql`select pg_advisory_xact_lock(hashtext('test_products'), hashtext(${storeId}))`.execute(
    trx,
  )
  const rows = await productRows(trx, { storeId, testId })
  return rows.flatMap((row, place) =>
    row.conflicts.map(other => ({ place, message: conflictMessage(row.title, other) })),
  )
}

/**
 * What has happened to the products of a price test so that it cannot run or continue; null if
 * nothing has. Of two running tests with the same product, the later one is in trouble. Stores the
 * problems with the products.
 */
export async function productTrouble(
  context: ProductContext,
  storeId: string,
  testId: string,
): Promise<ProductTrouble | null> {
  const { kysely } = context.db
  const test = await kysely
    .selectFrom('tests')
    .select(['kind', 'status', 'start_at'])
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  if (test?.kind !== 'Price') return null
  const rows = await productRows(kysely, { storeId, testId })
  const shop = await shopNow(
    context,
    storeId,
    rows.map(row => row.product_id),
  )
  await noteErrors(context, rows, shop)
  const since = new Map(
    (
      await kysely
        .selectFrom('tests')
        .select(['test_id', 'start_at'])
        .where('store_id', '=', storeId)
        .where('status', '=', 'Active')
        .execute()
    ).map(each => [each.test_id, Number(each.start_at)]),
  )
  const own = Number(test.start_at)
  const isEarlier = (other: string) =>
    (since.get(other) ?? Infinity) < own || (since.get(other) === own && other < testId)
  const products = rows.map(testProduct).map(product => ({
    ...product,
    conflicts: product.conflicts.filter(
      ({ testId: other }) => test.status !== 'Active' || isEarlier(other),
    ),
  }))
  const problems = problemsOf(products, shop.nowOf, shop.priceWay)
  for (const cause of troubles) {
    const found = problems.filter(problem => troubleOf[problem.cause] === cause)
    if (found.length > 0) return { cause, message: inWords(found.map(({ message }) => message)) }
  }
  return null
}

/**
 * Throws HttpProblem 409 if none of the products that a price test tests is in the shop any more.
 */
export async function requireProducts(
  context: ProductContext,
  storeId: string,
  testId: string,
): Promise<void> {
  await pricedProducts(context, storeId, testId)
}

/**
 * The products whose prices differ between the arms, with only their tested variants, and these
 * products as the shop has them now.
 */
async function pricedProducts(
  context: ProductContext,
  storeId: string,
  testId: string,
): Promise<{ rows: ProductRow[]; products: ShopNow['products'] }> {
  const rows = (await productRows(context.db.kysely, { storeId, testId }))
    .map(row => ({ ...row, variants: row.variants.filter(isTested) }))
    .filter(row => row.variants.length > 0)
  const { products } = await shopNow(
    context,
    storeId,
    rows.map(row => row.product_id),
  )
  if (rows.length > 0 && products.size === 0) throw noneLeft()
  return { rows, products }
}
const noneLeft = () => new HttpProblem(409, 'None of this test’s products is in the shop any more.')

/**
 * Makes the variant's prices permanent where they differ from control's, through the journal.
 * Prices that were not tested stay as the merchant has them now. Returns the titles of products of
 * which a tested product variant is gone.
 */
export async function applyPrices(
  context: ProductContext & Pick<EngineContext, 'journal'>,
  storeId: string,
  testId: string,
): Promise<string[]> {
  const { rows, products } = await pricedProducts(context, storeId, testId)
  const missing: string[] = []
  const steps: Step[] = []
  for (const row of rows) {
    const present = new Map(
      products.get(row.product_id)?.variants.map(variant => [variant.id, variant.price]),
    )
    if (row.variants.some(({ id }) => !present.has(id))) missing.push(row.title)
    const prices = row.variants
      .map(({ id, variantPrice }) => ({ variantId: id, price: variantPrice }))
      .filter(({ variantId, price }) => present.has(variantId) && present.get(variantId) !== price)
    if (prices.length > 0) steps.push({ productId: row.product_id, prices })
  }
  await context.journal.makeAll({ storeId, testId }, steps)
  return missing
}

/** Copies a draft's or a test's products and prices into a draft. */
export async function productsDuplicated(
  trx: Trx,
  storeId: string,
  fromId: string,
  toDraftId: string,
): Promise<void> {
  await sql`
    insert into test_products (store_id, test_product_id, draft_id, product_id, title, handle, path, image, currency, rule, variants, errors, created_at, updated_at)
    select p.store_id, gen_random_uuid(), d.draft_id, p.product_id, p.title, p.handle, p.path, p.image, p.currency, p.rule, p.variants, '[]', d.created_at, d.created_at
    from test_products p join drafts d on d.store_id = p.store_id and d.draft_id = ${toDraftId}
    where p.store_id = ${storeId} and (p.test_id = ${fromId} or (p.draft_id = ${fromId} and p.test_id is null)) order by p.seq`.execute(
    trx,
  )
}

/**
 * Called when the shop has changed these products: stores the problems with every draft and
 * unfinished test that has them.
 */
export async function productsChanged(
  context: ProductContext,
  storeId: string,
  productIds: readonly string[],
): Promise<void> {
  if (productIds.length === 0) return
  const rows = await productRows(context.db.kysely, { storeId, productIds, isUnfinished: true })
  if (rows.length > 0)
    await noteErrors(
      context,
      rows,
      await shopNow(
        context,
        storeId,
        rows.map(row => row.product_id),
      ),
    )
}

/** Joins the first three messages and says how many more there are, so that a cause stays short. */
export const inWords = (messages: string[]): string =>
  messages.length > 3
    ? `${messages.slice(0, 3).join(' ')} And ${messages.length - 3} more.`
    : messages.join(' ')
