import type { PerArm } from '../../domain/arm.ts'
import type { ProductSort } from '../../domain/reports/breakdown.ts'
import type { Output } from '../../domain/api/contract.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { rows as query } from '../db/raw.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'

type Report = Output<'byProduct'>
type Row = { product: string; title: string; image: string | null; count: number } & Record<
  'viewers' | 'adders' | 'buyers' | 'units' | 'revenue',
  PerArm<number>
>
export type ProductsAsk = {
  page?: number
  pageSize?: number
  sort?: ProductSort
  descending?: boolean
  search?: string
}

/**
 * Reads the counts that are stored together with the visitors, and the order sums of the rollup. So
 * its cost grows with the products, never with the events.
 */
export function reportProducts(serve: Serve, { db }: EngineContext): void {
  serve('byProduct', ({ params: { id }, query: asked }, { storeId }) =>
    productReport(db, storeId, knownId(id, 'test'), asked),
  )
}

/**
 * Returns a page of the products that visitors of a test saw, added or bought. Throws HttpProblem
 * 404 for an unknown test.
 */
export async function productReport(
  db: Pick<Db, 'kysely'>,
  storeId: string,
  testId: string,
  asked: ProductsAsk,
): Promise<Report> {
  const {
    page = 0,
    pageSize = 10,
    sort = 'revenue',
    descending = sort !== 'title',
    search = '',
  } = asked
  const [test] = await query<{ visitors: PerArm<number> }>(
    db.kysely,
    `
    select array(select coalesce((select recorded from test_arms a where a.store_id = t.store_id and a.test_id = t.test_id and a.arm = n), 0) from generate_series(0, 1) n order by n) as visitors
    from tests t where t.store_id = $1 and t.test_id = $2`,
    [storeId, testId],
  )
  if (!test) throw notFound('test')
  const found = await query<Row>(db.kysely, pageSql(sort, descending), [
    storeId,
    testId,
    search.trim().toLowerCase(),
    pageSize,
    page * pageSize,
  ])
  // A page beyond the last has no row with the count, so ask the first page.
  const count =
    found[0]?.count ??
    (page === 0 ? 0 : (await productReport(db, storeId, testId, { search, pageSize: 1 })).count)
  const rows = found.map(row => ({
    productId: row.product,
    title: row.title,
    image: row.image,
    arms: [armOf(row, 0), armOf(row, 1)] as Report['rows'][number]['arms'],
  }))
  return { visitors: test.visitors, rows, count }
}

const armOf = ({ viewers, adders, buyers, units, revenue }: Row, arm: 0 | 1) => ({
  viewers: viewers[arm],
  adders: adders[arm],
  buyers: buyers[arm],
  units: units[arm],
  revenue: revenue[arm],
})

const figures = ['viewers', 'adders', 'buyers', 'units', 'revenue'] as const
/** SQL: each figure per arm, and for both arms together. */
const perArm = figures
  .map(
    figure =>
      `array[coalesce(sum(${figure}) filter (where arm = 0), 0), coalesce(sum(${figure}) filter (where arm = 1), 0)]::float8[] as ${figure}, sum(${figure}) as all_${figure}`,
  )
  .join(', ')

function pageSql(sort: ProductSort, descending: boolean): string {
  const key = sort === 'title' ? 'lower(title) collate "C"' : `all_${sort}`
  return `
    with parts as (
      select product_id, arm, viewers, adders, 0 as buyers, 0::float8 as units, 0::float8 as revenue, null as title from test_product_visitors
      where store_id = $1 and test_id = $2 and (viewers <> 0 or adders <> 0)
      union all
      select product_id, arm, 0, 0, buyers, units, revenue, title from test_product_orders where store_id = $1 and test_id = $2),
    products as (select product_id, max(title) as sold, ${perArm} from parts group by product_id),
    -- Anyone can make up an id: a product that the shop does not have is listed only if somebody bought it.
    named as (
      select p.*, coalesce(t.title, p.sold, p.product_id) as title, t.image from products p left join product_titles t on t.store_id = $1 and t.product_id = p.product_id
      where t.product_id is null or t.title is not null or p.sold is not null)
    select product_id as product, title, image, ${figures.join(', ')}, count(*) over ()::int as count from named
    where $3 = '' or position($3 in lower(title)) > 0
    order by ${key} ${descending ? 'desc' : 'asc'}, lower(title) collate "C", product_id collate "C" limit $4 offset $5`
}
