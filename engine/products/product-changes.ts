import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { PriceWay } from '../../domain/platform/price-way.ts'
import type { PriceRule } from '../../domain/prices/price-rule.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import type { TestProduct } from '../../domain/products/product.ts'
import { maxProducts } from '../../domain/products/product-check.ts'
import { quotaWords } from '../../domain/quota.ts'
import { followsRule, type Pricing, pricedProduct } from '../../domain/products/product-pricing.ts'
import { capabilitiesOf } from '../platform/store-capabilities.ts'
import type { TestProductsTable } from '../db/products-schema.ts'
import { productRows, type ProductRow, testProduct } from './product-rows.ts'
import { type ProductContext, shopNow, type ShopNow } from './product-shop.ts'
import { isId, knownId, notFound } from '../http/routes.ts'
import type { Trx } from '../db/types.ts'

/**
 * A product that is added to a draft, updated there from the shop and with new prices, or removed
 * (`remove`). `at`: the beginning of its field names in problems.
 */
export type ProductChange = Pricing & {
  draftId: string
  productId: string
  remove?: boolean
  isNew?: true
  at?: string
}

/**
 * Makes all of the changes or none. Control's prices are those that the shop has now. Throws
 * HttpProblem: 404 for an unknown draft, 400 for wrong fields, 409 for a product that is already in
 * the draft or is one too many.
 */
export async function changeProducts(
  context: ProductContext,
  storeId: string,
  changes: readonly ProductChange[],
): Promise<void> {
  const draftIds = [...new Set(changes.map(change => change.draftId))].sort()
  for (const draftId of draftIds) await requirePriceDraft(context, storeId, draftId)
  const shop = await shopNow(
    context,
    storeId,
    changes.filter(change => !change.remove).map(change => change.productId),
  )
  const missing = changes.flatMap(({ productId, remove, at = '' }) =>
    remove || shop.products.has(productId)
      ? []
      : [{ field: `${at}productId`, message: 'The shop has no such product.' }],
  )
  if (missing.length > 0) throw refused(missing)
  await context.db.kysely.transaction().execute(async trx => {
    for (const draftId of draftIds) {
      await touchDraft(context, trx, storeId, draftId)
      const rows = new Map(
        (await productRows(trx, { storeId, draftId })).map(row => [row.product_id, row]),
      )
      const own = changes.filter(change => change.draftId === draftId)
      await writeChanges(context, trx, storeId, own, rows, shop)
    }
  })
}

async function writeChanges(
  { clock }: ProductContext,
  trx: Trx,
  storeId: string,
  changes: readonly ProductChange[],
  rows: Map<string, ProductRow>,
  shop: ShopNow,
): Promise<void> {
  const now = clock()
  const written = changes
    .filter(change => !change.remove)
    .map(change => {
      const row = rows.get(change.productId) ?? null
      if (row && change.isNew)
        throw new HttpProblem(409, `${row.title} is in this draft already.`, [
          { field: 'productId', message: 'is in this draft already' },
        ])
      const { problems, ...columns } = productColumns(
        shop,
        change.productId,
        row,
        change,
        change.at,
      )
      return {
        problems,
        row: {
          ...columns,
          store_id: storeId,
          draft_id: change.draftId,
          test_product_id: row?.test_product_id ?? randomUUID(),
          test_id: null,
          created_at: row?.created_at ?? now,
          updated_at: now,
        },
        isNew: !row,
      }
    })
  const problems = written.flatMap(each => each.problems)
  if (problems.length > 0) throw refused(problems)
  const gone = changes
    .filter(change => change.remove)
    .flatMap(change => rows.get(change.productId)?.test_product_id ?? [])
  if (rows.size - gone.length + written.filter(each => each.isNew).length > maxProducts)
    throw new HttpProblem(409, quotaWords.products)
  for (const id of gone)
    await trx
      .deleteFrom('test_products')
      .where('store_id', '=', storeId)
      .where('test_product_id', '=', id)
      .execute()
  for (const { row, isNew } of written) {
    if (isNew) await trx.insertInto('test_products').values(row).execute()
    else
      await trx
        .updateTable('test_products')
        .set(row)
        .where('store_id', '=', storeId)
        .where('test_product_id', '=', row.test_product_id)
        .execute()
  }
}

type Columns = Omit<
  Insertable<TestProductsTable>,
  'store_id' | 'test_product_id' | 'seq' | 'draft_id' | 'test_id' | 'created_at' | 'updated_at'
>
/**
 * The columns of a product that the shop has: without errors, and with the prices that the merchant
 * sets. `problems`: what is wrong with these prices.
 */
export function productColumns(
  { products, currency, priceWay }: ShopNow,
  productId: string,
  row: ProductRow | null,
  pricing: Pricing,
  at?: string,
): Columns & { problems: FieldProblem[] } {
  const {
    product: { title, handle, path, image },
    variants: present,
  } = products.get(productId)!
  const { rule, variants, problems } = pricedProduct(present, row, pricing, currency, at, priceWay)
  const ruleBefore = rule || pricing.rule === null ? null : (row?.rule ?? row?.rule_before ?? null)
  return {
    product_id: productId,
    title,
    handle,
    path,
    image,
    currency,
    rule: ruleText(rule),
    rule_before: ruleText(ruleBefore),
    variants: JSON.stringify(variants),
    errors: '[]',
    problems,
  }
}

/**
 * The columns of a row after some of the variant's prices were set by hand, without asking the
 * shop. If all prices are again those that the replaced rule makes, the row follows the rule again.
 * `isNew`: a price differs from what is stored. `problems`: their fields begin with `at`.
 */
export function repriced(
  row: ProductRow,
  prices: NonNullable<Pricing['prices']>,
  now: Date,
  way: PriceWay,
  at?: string,
) {
  const { problems } = pricedProduct(row.variants, row, { prices }, row.currency, at, way)
  const set = new Map(prices.map(({ variantId, price }) => [variantId, price]))
  const variants = row.variants.map(variant => ({
    ...variant,
    variantPrice: set.get(variant.id) ?? variant.variantPrice,
  }))
  const replaced = row.rule ?? row.rule_before,
    isFollowed = replaced !== null && followsRule(replaced, variants, row.currency)
  return {
    problems,
    isNew: variants.some(({ variantPrice }, i) => variantPrice !== row.variants[i]!.variantPrice),
    columns: {
      rule: isFollowed ? ruleText(replaced) : null,
      rule_before: isFollowed ? null : ruleText(replaced),
      variants: JSON.stringify(variants),
      updated_at: now,
    },
  }
}

/** Sets some of the variant's prices of one product. */
export async function setPrices(
  context: ProductContext,
  storeId: string,
  id: string,
  prices: NonNullable<Pricing['prices']>,
): Promise<void> {
  const { draft_id } = await requireDraftProduct(context, storeId, id)
  const { priceWay } = await capabilitiesOf(context, storeId)
  await context.db.kysely.transaction().execute(async trx => {
    await touchDraft(context, trx, storeId, draft_id)
    const [row] = await productRows(trx, { storeId, productRowId: id })
    if (!row) throw notFound('product of a test')
    const { problems, columns } = repriced(row, prices, context.clock(), priceWay)
    if (problems.length > 0) throw refused(problems)
    await trx
      .updateTable('test_products')
      .set(columns)
      .where('store_id', '=', storeId)
      .where('test_product_id', '=', id)
      .execute()
  })
}

/**
 * Reads a product of a draft. Throws HttpProblem: 404 if there is none, 409 if it belongs to a
 * launched test.
 */
export async function requireDraftProduct(
  { db }: ProductContext,
  storeId: string,
  id: string,
): Promise<ProductRow> {
  const [row] = await productRows(db.kysely, {
    storeId,
    productRowId: knownId(id, 'product of a test'),
  })
  if (!row) throw notFound('product of a test')
  if (row.test_id)
    throw new HttpProblem(
      409,
      'You cannot change the prices of a launched test. Duplicate it into a new draft.',
    )
  return row
}

export async function readProduct(
  { db }: ProductContext,
  storeId: string,
  id: string,
): Promise<TestProduct> {
  const [row] = await productRows(db.kysely, { storeId, productRowId: id })
  if (!row) throw notFound('product of a test')
  return testProduct(row)
}

/**
 * Increases the draft's version, so that a launch that has already read the draft begins again.
 * Locks the draft until the transaction ends. Throws HttpProblem 404 if it is gone.
 */
export async function touchDraft(
  { clock }: ProductContext,
  trx: Trx,
  storeId: string,
  draftId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('drafts')
    .set(eb => ({ version: eb('version', '+', 1), updated_at: clock() }))
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw notFound('draft')
}

async function requirePriceDraft(
  { db }: ProductContext,
  storeId: string,
  draftId: string,
): Promise<void> {
  const draft =
    isId(draftId) &&
    (await db.kysely
      .selectFrom('drafts')
      .select('kind')
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draftId)
      .executeTakeFirst())
  if (!draft) throw notFound('draft')
  if (draft.kind !== 'Price')
    throw refused([{ field: 'testDraftId', message: 'You can add products only to price tests.' }])
}

const ruleText = (rule: PriceRule | null): string | null => rule && JSON.stringify(rule)
const refused = (problems: FieldProblem[]) => new HttpProblem(400, problems[0]!.message, problems)
