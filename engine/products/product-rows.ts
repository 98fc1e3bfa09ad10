import { type RawBuilder, sql, type Selectable } from 'kysely'
import type { RunningTest, TestProduct } from '../../domain/products/product.ts'
import type { TestProductsTable } from '../db/products-schema.ts'
import { isId, notFound } from '../http/routes.ts'
import type { Reader } from '../db/types.ts'

export type ProductRow = Selectable<TestProductsTable> & { conflicts: RunningTest[] }

/** Which products a list contains. A launched test and its draft have different ids. */
export type Owner = { storeId: string } & (
  | { draftId: string }
  | { testId: string }
  | { everyOf?: 'store' }
  | { productRowId: string }
  | { draftIds: string[] }
  | { productIds: readonly string[]; isUnfinished: true }
)
/** A price test's id or its draft's. */
export type TestOrDraft = { storeId: string; draftId: string } | { storeId: string; testId: string }

/**
 * Rows in the order they were added, each with the other running price tests that its product is
 * in.
 */
export async function productRows(
  reader: Reader,
  owner: Owner,
  { offset = 0, limit }: { offset?: number; limit?: number } = {},
): Promise<ProductRow[]> {
  let query = reader
    .selectFrom('test_products as p')
    .selectAll('p')
    .select(conflicts.as('conflicts'))
    .where(belongsTo(owner))
    .orderBy('p.seq')
    .offset(offset)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.execute()).map(row => ({ ...row, conflicts: row.conflicts ?? [] }))
}

export async function countRows(reader: Reader, owner: Owner): Promise<number> {
  const { count } = await reader
    .selectFrom('test_products as p')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(belongsTo(owner))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Whether an id is that of a test or of a draft. Throws HttpProblem 404 if the store has neither.
 */
export async function testOrDraft(
  reader: Reader,
  storeId: string,
  id: string,
): Promise<TestOrDraft> {
  if (isId(id)) {
    const {
      rows: [found],
    } = await sql<{ of: 'test' | 'draft' }>`
      select 'test' as of from tests where store_id = ${storeId} and test_id = ${id}
      union all select 'draft' from drafts where store_id = ${storeId} and draft_id = ${id}`.execute(
      reader,
    )
    if (found) return found.of === 'test' ? { storeId, testId: id } : { storeId, draftId: id }
  }
  throw notFound('test or draft')
}

/** The running price tests on these products, by product id. */
export async function runningOn(
  reader: Reader,
  storeId: string,
  productIds: readonly string[],
): Promise<Map<string, RunningTest[]>> {
  const found = new Map<string, RunningTest[]>()
  if (productIds.length === 0) return found
  const rows = await reader
    .selectFrom('test_products as p')
    .innerJoin('tests as t', join =>
      join.onRef('t.store_id', '=', 'p.store_id').onRef('t.test_id', '=', 'p.test_id'),
    )
    .select(['p.product_id', 't.test_id as testId', 't.title'])
    .where('p.store_id', '=', storeId)
    .where('p.product_id', 'in', productIds)
    .where('t.status', '=', 'Active')
    .orderBy('t.start_at')
    .execute()
  for (const { product_id, testId, title } of rows)
    found.set(product_id, [...(found.get(product_id) ?? []), { testId, title }])
  return found
}

/**
 * Titles of price tests that share products with this draft and do not run now, but may run again.
 */
export async function waitingWith(
  reader: Reader,
  storeId: string,
  draftId: string,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('test_products as p')
    .innerJoin('test_products as o', join =>
      join.onRef('o.store_id', '=', 'p.store_id').onRef('o.product_id', '=', 'p.product_id'),
    )
    .innerJoin('tests as t', join =>
      join.onRef('t.store_id', '=', 'o.store_id').onRef('t.test_id', '=', 'o.test_id'),
    )
    .select(['t.test_id', 't.title'])
    .distinct()
    .where('p.store_id', '=', storeId)
    .where('p.draft_id', '=', draftId)
    .where('p.test_id', 'is', null)
    .where('t.status', 'not in', ['Active', 'Ended'])
    .orderBy('t.title')
    .orderBy('t.test_id')
    .execute()
  return rows.map(({ title }) => title)
}

export function testProduct(row: ProductRow): TestProduct {
  return {
    id: row.test_product_id,
    testDraftId: row.test_id ? null : row.draft_id,
    testId: row.test_id,
    productId: row.product_id,
    title: row.title,
    handle: row.handle,
    path: row.path,
    image: row.image,
    currency: row.currency,
    rule: row.rule,
    variantCount: row.variants.length,
    variants: row.variants,
    errors: row.errors,
    conflicts: row.conflicts,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/**
 * SQL: the other running price tests on the row's product. An ended test has no conflicts and
 * causes none.
 */
const conflicts = sql<RunningTest[] | null>`(
  select json_agg(json_build_object('testId', t.test_id, 'title', t.title) order by t.start_at)
  from test_products o join tests t on t.store_id = o.store_id and t.test_id = o.test_id
  where o.store_id = p.store_id and o.product_id = p.product_id and o.draft_id <> p.draft_id and t.status = 'Active'
    and not exists (select from tests own where own.store_id = p.store_id and own.test_id = p.test_id and own.status = 'Ended'))`

function belongsTo(owner: Owner): RawBuilder<boolean> {
  const ofStore = sql`p.store_id = ${owner.storeId}`
  if ('draftId' in owner)
    return sql<boolean>`${ofStore} and p.draft_id = ${owner.draftId} and p.test_id is null`
  if ('testId' in owner) return sql<boolean>`${ofStore} and p.test_id = ${owner.testId}`
  if ('productRowId' in owner)
    return sql<boolean>`${ofStore} and p.test_product_id = ${owner.productRowId}`
  if ('draftIds' in owner)
    return sql<boolean>`${ofStore} and p.draft_id in (${sql.join(owner.draftIds)}) and p.test_id is null`
  if ('productIds' in owner)
    return sql<boolean>`${ofStore} and p.product_id in (${sql.join(owner.productIds)})
      and not exists (select from tests t where t.store_id = p.store_id and t.test_id = p.test_id and t.status = 'Ended')`
  return sql<boolean>`${ofStore}`
}
