import { allCountries, allReferrers } from '../events/fold/deltas.ts'
import { rows as query } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'
import { orderRows, rowColumns, share } from './order-rows.ts'

/** A test whose orders are summed up: those placed from `from` until `to` (null: no end). */
export type SummedTest = { storeId: string; testId: string; from: Date; to: Date | null }

const keys = 'arm, device, channel, is_new'
/** What people add to the sums. Money: `revenue` in minor units, all else in hundredths of them. */
const figures = [
  'buyers',
  'orders',
  'revenue',
  'plain',
  'above',
  'plain_squares',
  'plain_above',
  'above_squares',
  'order_squares',
  'plain_orders',
  'above_orders',
  'units',
] as const
const columns = figures.join(', ')
/**
 * SQL: the sums of `people`: `n` their orders, `k` those above the cap, `u` the others' value.
 */
const ofPeople = `
  sum(sign) as buyers, sum(sign * n) as orders, sum(sign * amount) as revenue, sum(sign * u) as plain, sum(sign * k) as above,
  sum(sign * u * u) as plain_squares, sum(sign * u * k) as plain_above, sum(sign * k * k) as above_squares, sum(sign * n * n) as order_squares,
  sum(sign * u * n) as plain_orders, sum(sign * k * n) as above_orders, sum(sign * units) as units`
/** SQL: of one person's orders. */
const ofOrders =
  'count(*) as n, sum(amount) as amount, sum(plain) as u, sum(above) as k, sum(units)::bigint as units'
/** SQL: what an order adds to its day: the person's sums with it, less those without it. */
const ofDays = `
  coalesce(sum(sign) filter (where n = 1), 0) as buyers, sum(sign) as orders, sum(sign * amount) as revenue, sum(sign * plain) as plain, sum(sign * above) as above,
  sum(sign * (u * u - (u - plain) * (u - plain))) as plain_squares, sum(sign * (u * k - (u - plain) * (k - above))) as plain_above,
  sum(sign * (k * k - (k - above) * (k - above))) as above_squares, sum(sign * (2 * n - 1)) as order_squares,
  sum(sign * (u * n - (u - plain) * (n - 1))) as plain_orders, sum(sign * (k * n - (k - above) * (n - 1))) as above_orders, 0 as units`
const none = (but: Partial<Record<(typeof figures)[number], string>>) =>
  figures.map(figure => `${but[figure] ?? 0} as ${figure}`).join(', ')
/** SQL: the rows of a table by the ids in $5. The lateral join makes the planner use the key. */
const byId = (table: string, ofTest: string, as: string) =>
  `unnest((select $5::text[])) k(of_order) cross join lateral (select * from ${table} t where t.store_id = $1 ${ofTest} and t.order_id = k.of_order offset 0) ${as}`
const isChange = `(${columns}) is distinct from (${figures.map(() => 0).join(', ')})`
const adds = (table: string, names: readonly string[]) =>
  names.map(name => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
const named = (of: string) =>
  rowColumns
    .split(', ')
    .map(column => `${of}.${column}`)
    .join(', ')

/**
 * SQL: makes rows of test_orders again as the orders are now, and changes all sums by the
 * difference: what the rows added before is taken away, what they add now is added. All rows of a
 * person are made again at once, because sums of squares are by person. $1 store, $2 test, $3 and
 * $4 its time, $5 the ids of the orders, $6 the cap or null. Returns the products of these orders,
 * and the orders that are no longer the test's.
 */
const foldSql = (isAll: boolean) => `
  with before as materialized (${isAll ? `select ${rowColumns}, is_above from test_orders where $5::text[] is not null and store_id = $1 and test_id = $2` : `select ${named('t')}, t.is_above from ${byId('test_orders', 'and t.test_id = $2', 't')}`}),
  after as materialized (
    select r.*, coalesce(share in (${share.counted}, ${share.bot}) and amount * 100 > $6::bigint, false) as is_above
    from (${orderRows(isAll ? 'orders o' : byId('orders', '', 'o'))}) r),
  written as (
    insert into test_orders as t (store_id, test_id, ${rowColumns}, is_above) select $1, $2, ${named('a')}, a.is_above from after a
    on conflict (store_id, test_id, order_id) do update set (${rowColumns}, is_above) = (${named('excluded')}, excluded.is_above)
      where (${named('t')}, t.is_above) is distinct from (${named('excluded')}, excluded.is_above)),
  sided as (select -1 as sign, ${named('b')}, b.is_above from before b union all select 1, ${named('a')}, a.is_above from after a),
  valued as materialized (select s.*, case when is_above then 0 else amount * 100 end as plain, is_above::int as above from sided s where share <> ${share.none}),
  running as (
    select v.*, count(*) over visitor as n, sum(plain) over visitor as u, sum(above) over visitor as k from valued v where share = ${share.counted}
    window visitor as (partition by sign, visitor_id order by created_at, order_id rows unbounded preceding)),
  people as (
    select sign, ${keys}, referrer, country, kind, visitor_id, ${ofOrders} from (
      select v.*, t.kind from valued v cross join lateral (values (''), (v.type)) t(kind) where share = ${share.counted}
      union all select v.*, v.type from valued v where share = ${share.renewal}) v
    group by sign, ${keys}, referrer, country, kind, visitor_id),
  bots as (select sign, arm, visitor_id, ${ofOrders} from valued where share = ${share.bot} group by sign, arm, visitor_id),
  sums as (
    select 'day' as part, day::text as name, arm, ${ofDays}, 0 as refunds from running group by day, arm
    union all select 'bots', '', arm, ${ofPeople}, 0 from bots group by arm
    union all select 'reason', coalesce(reason, ''), coalesce(arm, -1), ${none({ orders: 'sum(sign)', revenue: 'sum(sign * amount)' })}, sum(sign * refunded) from sided group by 2, 3
    union all select 'way', way, -1, ${none({ orders: 'sum(sign)' })}, 0 from sided where way is not null group by way),
  summed as (
    insert into test_order_sums as s (store_id, test_id, part, name, arm, ${columns}, refunds)
    select $1, $2, part, name, arm, ${columns}, refunds from sums where ${isChange} or refunds <> 0
    on conflict (store_id, test_id, part, name, arm) do update set ${adds('s', [...figures, 'refunds'])}),
  cells as (
    select n.country, r.referrer, ${keys}, kind, ${ofPeople}
    from people p cross join lateral (values ('${allReferrers}'), (p.referrer)) r(referrer) cross join lateral (values ('${allCountries}'), (p.country)) n(country)
    where n.country is not null group by n.country, r.referrer, ${keys}, kind),
  counted as (
    insert into test_cube_orders as c (store_id, test_id, country, referrer, ${keys}, type, ${columns})
    select $1, $2, country, referrer, ${keys}, kind, ${columns} from cells where ${isChange}
    on conflict (store_id, test_id, country, referrer, ${keys}, type) do update set ${adds('c', figures)}),
  items as materialized (
    select sign, arm, visitor_id, created_at, l.* from sided s cross join lateral jsonb_to_recordset(s.items) l(product text, title text, quantity bigint, amount bigint)),
  baskets as (select sign, product, arm, visitor_id, sum(quantity) as units, sum(amount) as revenue from items group by sign, product, arm, visitor_id),
  sold as (
    insert into test_product_orders as p (store_id, test_id, product_id, arm, title, buyers, units, revenue)
    select $1, $2, * from (select product, arm, '', sum(sign) as buyers, sum(sign * units) as units, sum(sign * revenue) as revenue from baskets group by product, arm) b
    where (buyers, units, revenue) <> (0, 0, 0)
    on conflict (store_id, test_id, product_id, arm) do update set ${adds('p', ['buyers', 'units', 'revenue'])}),
  titled as (
    insert into test_order_titles as t (store_id, test_id, product_id, created_at, title, orders)
    select $1, $2, product, created_at, title, sum(sign) from items group by product, created_at, title having sum(sign) <> 0
    on conflict (store_id, test_id, product_id, created_at, title) do update set orders = t.orders + excluded.orders)
  select array(select distinct product from items) as products, array(select b.order_id from before b where not exists (select from after a where a.order_id = b.order_id)) as gone`

/**
 * SQL: removes rows of nothing, so that sums are the same in whatever order the orders came. Gives
 * the products ($3) the title of their newest order.
 */
const tidySql = `
  with ${['test_order_sums', 'test_cube_orders', 'test_order_titles'].map(table => `of_${table} as (delete from ${table} where store_id = $1 and test_id = $2 and orders = 0)`).join(', ')},
  unsold as (delete from test_product_orders where store_id = $1 and test_id = $2 and product_id = any($3::text[]) and buyers = 0)
  update test_product_orders p set title = n.title from unnest($3::text[]) k(product), lateral (
    select t.title from test_order_titles t where t.store_id = $1 and t.test_id = $2 and t.product_id = k.product and t.orders > 0 order by t.created_at desc, t.title collate "C" limit 1) n
  where p.store_id = $1 and p.test_id = $2 and p.product_id = k.product and p.buyers > 0 and p.title is distinct from n.title`

const tables = [
  'test_orders',
  'test_order_sums',
  'test_order_titles',
  'test_cube_orders',
  'test_product_orders',
]

/**
 * Makes the rows of these orders again, or with null of all orders, and changes the sums of the
 * test by the difference. The ids must be all orders of their visitors. `cap`: hundredths of minor
 * units.
 */
export async function foldOrders(
  trx: Trx,
  { storeId, testId, from, to }: SummedTest,
  orders: readonly string[] | null,
  cap: number | null,
): Promise<void> {
  if (orders?.length === 0) return
  if (orders === null)
    for (const table of tables)
      await query(trx, `delete from ${table} where store_id = $1 and test_id = $2`, [
        storeId,
        testId,
      ])
  const [row] = await query<{ products: string[]; gone: string[] }>(trx, foldSql(orders === null), [
    storeId,
    testId,
    from,
    to ?? 'infinity',
    orders,
    cap,
  ])
  const { products, gone } = row!
  if (gone.length > 0)
    await query(
      trx,
      'delete from test_orders where store_id = $1 and test_id = $2 and order_id = any($3::text[])',
      [storeId, testId, gone],
    )
  await query(trx, tidySql, [storeId, testId, products])
}
