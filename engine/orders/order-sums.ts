import type { Kysely } from 'kysely'
import type { OrderCell, OrderFigures } from '../db/order-figures.ts'
import { rows as query } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import { cellOf, figuresOf, type FiguresRow } from './order-figures.ts'
import type { ProductOrders } from './order-products.ts'

/**
 * SQL: the capped sums of a row of test_order_sums or test_cube_orders. `cap`: that of
 * test_order_states, or 0 where there is none (then no order is above it).
 */
const capped = {
  capped_revenue: '(plain + above * cap) / 100',
  capped_revenue_squares:
    '(plain_squares + 2 * plain_above * cap + above_squares * cap * cap) / 10000',
  capped_revenue_orders: '(plain_orders + above_orders * cap) / 100',
}
const cappedColumns = Object.entries(capped).map(([name, sum]) => `${sum} as ${name}`)
const capOfTest = (row: string) =>
  `coalesce((select st.cap from test_order_states st where st.store_id = ${row}.store_id and st.test_id = ${row}.test_id), 0)::numeric`

/** SQL: test_cube_orders `c` with its capped sums, for `from`. */
export const orderCells = `(
  select c.*, ${cappedColumns.join(', ')} from (select c.*, ${capOfTest('c')} as cap from test_cube_orders c where c.store_id = $1 and c.test_id = $2 and c.orders <> 0) c) c`

const sums = `buyers::int as buyers, orders::int as orders, revenue::float8 as revenue, ${Object.entries(
  capped,
)
  .map(([name, sum]) => `(${sum})::float8 as ${name}`)
  .join(', ')}, order_squares::float8 as order_squares`

const storedSql = `
  with known as materialized (select s.*, ${capOfTest('s')} as cap from test_order_sums s where s.store_id = $1 and s.test_id = $2 and s.orders <> 0),
  cap as (select (cap / 100.0)::float8 as cap from test_order_states where store_id = $1 and test_id = $2),
  days as (select name as day, arm, ${sums}, above::int as capped_orders, (select cap from cap) as cap from known where part = 'day' order by name, arm),
  reasons as (select nullif(arm, -1) as arm, nullif(name, '') as reason, orders::int as orders, revenue::float8 as amount, refunds::float8 as refunds from known where part = 'reason'),
  ways as (select name as way, orders::int as orders from known where part = 'way'),
  bots as (select arm, ${sums} from known where part = 'bots')
  select (select coalesce(json_agg(w), '[]') from ways w) as ways, (select coalesce(json_agg(d), '[]') from days d) as days,
    (select coalesce(json_agg(r), '[]') from reasons r) as reasons, (select coalesce(json_agg(b), '[]') from bots b) as bots`

/** The sums of a test's orders as they are kept. */
export async function keptFigures(
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<OrderFigures> {
  const [row] = await query<FiguresRow>(on, storedSql, [storeId, testId])
  return figuresOf(row!)
}

/** The kept sums by cell of the cube. */
export async function keptCells(
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<OrderCell[]> {
  const found = await query<FiguresRow['cells'][number]>(
    on,
    `select country, referrer, arm, device, channel, is_new, type, ${sums}, units::float8 as units from (select c.*, ${capOfTest('c')} as cap from test_cube_orders c where c.store_id = $1 and c.test_id = $2 and c.orders <> 0) c`,
    [storeId, testId],
  )
  return found.map(cellOf)
}

/** The kept sums by product. */
export const keptProducts = (
  on: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<ProductOrders[]> =>
  query(
    on,
    'select product_id as product, arm, title, buyers, units, revenue from test_product_orders where store_id = $1 and test_id = $2',
    [storeId, testId],
  )
