import { run } from '../db/raw.ts'
import type { OrderCell } from '../db/order-figures.ts'
import type { Trx } from '../db/types.ts'

/** Makes the stored cells those given, touching only what differs: most orders move one of many. */
export async function storeOrderCells(
  trx: Trx,
  storeId: string,
  testId: string,
  cells: OrderCell[],
): Promise<void> {
  const key = 'country, referrer, arm, device, channel, is_new, type'
  const figures =
    'buyers, orders, revenue, capped_revenue, capped_revenue_squares, order_squares, capped_revenue_orders, units'
  const values = [
    cells.map(c => c.country),
    cells.map(c => c.referrer),
    cells.map(c => c.arm),
    cells.map(c => c.device),
    cells.map(c => c.channel),
    cells.map(c => c.isNew),
    cells.map(c => c.type),
    cells.map(c => c.buyers),
    cells.map(c => c.orders),
    cells.map(c => c.revenue),
    cells.map(c => c.cappedRevenue),
    cells.map(c => c.cappedRevenueSquares),
    cells.map(c => c.orderSquares),
    cells.map(c => c.cappedRevenueOrders),
    cells.map(c => c.units),
  ]
  await run(
    trx,
    `
    delete from test_cube_orders where store_id = $1 and test_id = $2 and (${key}) not in
      (select * from unnest($3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::text[]))`,
    [storeId, testId, ...values.slice(0, 7)],
  )
  if (cells.length === 0) return
  await run(
    trx,
    `
    insert into test_cube_orders as c (store_id, test_id, ${key}, ${figures})
    select $1, $2, * from unnest($3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::text[],
      $10::int[], $11::int[], $12::float8[], $13::float8[], $14::float8[], $15::float8[], $16::float8[], $17::float8[])
    on conflict (store_id, test_id, ${key}) do update set (${figures}) = (${figures
      .split(', ')
      .map(f => `excluded.${f}`)
      .join(', ')})
      where (${figures
        .split(', ')
        .map(f => `c.${f}`)
        .join(', ')}) is distinct from (${figures
        .split(', ')
        .map(f => `excluded.${f}`)
        .join(', ')})`,
    [storeId, testId, ...values],
  )
}
