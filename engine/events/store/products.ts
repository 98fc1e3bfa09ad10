import { rows as query } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import {
  type FoldedProducts,
  type ProductDelta,
  type Products,
  productsKey,
  type ProductsOf,
} from '../fold/products.ts'

/**
 * Maximum number of products stored per visitor and test. It is more than a shopper looks at, and
 * keeps made-up ids from filling the report.
 */
const productLimit = 200

type Row = {
  test_id: string
  visitor_id: string
  product_id: string
  view: number | null
  add: number | null
}
const columns = `p.test_id, p.visitor_id, p.product_id, round(extract(epoch from p.last_view_at) * 1000)::float8 as view, round(extract(epoch from p.last_add_at) * 1000)::float8 as add`

function byVisitor(rows: Row[], into = new Map<string, Products>()): Map<string, Products> {
  for (const { test_id, visitor_id, product_id, view, add } of rows) {
    const key = productsKey(test_id, visitor_id)
    let own = into.get(key)
    if (!own) into.set(key, (own = new Map()))
    own.set(product_id, { view, add })
  }
  return into
}

/** Stores the batch's products. Returns the same products as they were stored before. */
export async function addProducts(
  trx: Trx,
  folded: FoldedProducts,
): Promise<Map<string, Products>> {
  if (folded.size === 0) return new Map()
  const added = [...folded.values()].flatMap(({ products, ...of }) =>
    [...products].map(([product, acts]) => ({ ...of, product, ...acts })),
  )
  // Both parts see the table as it was before the statement, so the select returns what was stored
  // before.
  return byVisitor(
    await query<Row>(
      trx,
      `
    with added as (select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::float8[], $6::float8[]) a(store_id, test_id, visitor_id, product_id, view, add)),
    written as (
      insert into test_visitor_products as p (store_id, test_id, visitor_id, product_id, last_view_at, last_add_at)
      select store_id, test_id, visitor_id, product_id, to_timestamp(view / 1000), to_timestamp(add / 1000) from added
      on conflict (store_id, test_id, visitor_id, product_id) do update
        set last_view_at = greatest(p.last_view_at, excluded.last_view_at), last_add_at = greatest(p.last_add_at, excluded.last_add_at))
    select ${columns} from added a, lateral (
      select * from test_visitor_products p where p.store_id = a.store_id and p.test_id = a.test_id and p.visitor_id = a.visitor_id and p.product_id = a.product_id offset 0) p`,
      [
        added.map(a => a.storeId),
        added.map(a => a.testId),
        added.map(a => a.visitor),
        added.map(a => a.product),
        added.map(a => a.view),
        added.map(a => a.add),
      ],
    ),
  )
}

/**
 * Deletes a visitor's products beyond the first `productLimit`, in a random but fixed order that
 * differs between visitors. Returns the deleted products. A product beyond the limit stays beyond
 * it, because later products only push it further back. So the same products remain in any order of
 * arrival, with all that the visitor did with them.
 */
export async function dropBeyondLimit(
  trx: Trx,
  folded: FoldedProducts,
  old: Map<string, Products>,
): Promise<Map<string, Products>> {
  const grown = [...folded.values()].filter(
    ({ testId, visitor, products }) =>
      products.size > (old.get(productsKey(testId, visitor))?.size ?? 0),
  )
  if (grown.length === 0) return new Map()
  const own = 'p.store_id = k.store_id and p.test_id = k.test_id and p.visitor_id = k.visitor_id'
  return byVisitor(
    await query<Row>(
      trx,
      `
    with crowded as materialized (
      select k.* from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id), lateral (select from test_visitor_products p where ${own} offset ${productLimit} limit 1) p),
    beyond as materialized (
      select p.* from crowded k, lateral (select * from test_visitor_products p where ${own} order by md5(p.visitor_id || ' ' || p.product_id), p.product_id collate "C" offset ${productLimit}) p)
    delete from test_visitor_products p using beyond k where ${own} and p.product_id = k.product_id returning ${columns}`,
      [grown.map(v => v.storeId), grown.map(v => v.testId), grown.map(v => v.visitor)],
    ),
  )
}

/**
 * All stored products of these visitors in these tests; an empty map for a visitor without
 * products.
 */
export async function readProducts(
  trx: Trx,
  visitors: ProductsOf[],
): Promise<Map<string, Products>> {
  const found = new Map<string, Products>(
    visitors.map(v => [productsKey(v.testId, v.visitor), new Map()]),
  )
  if (found.size === 0) return found
  return byVisitor(
    await query<Row>(
      trx,
      `
    select ${columns} from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id),
      lateral (select * from test_visitor_products p where p.store_id = k.store_id and p.test_id = k.test_id and p.visitor_id = k.visitor_id offset 0) p`,
      [visitors.map(v => v.storeId), visitors.map(v => v.testId), visitors.map(v => v.visitor)],
    ),
    found,
  )
}

/** Adds a batch's changes to the products' counts. */
export function writeProductDeltas(deltas: ProductDelta[]): Statement[] {
  if (deltas.length === 0) return []
  return [
    {
      name: 'products',
      text: `
    insert into test_product_visitors as p (store_id, test_id, product_id, arm, viewers, adders)
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::int[], $6::int[])
    on conflict (store_id, test_id, product_id, arm) do update set viewers = p.viewers + excluded.viewers, adders = p.adders + excluded.adders`,
      values: [
        deltas.map(d => d.storeId),
        deltas.map(d => d.testId),
        deltas.map(d => d.product),
        deltas.map(d => d.arm),
        deltas.map(d => d.viewers),
        deltas.map(d => d.adders),
      ],
    },
  ]
}
