import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../db/connection.ts'
import { inSnapshot } from '../db/snapshot.ts'
import { rows as query } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'
import { type AllOrderFigures, orderFigures } from './order-figures.ts'
import { forgetOrderSums, sumOrders, type Summing } from './order-state.ts'
import { keptCells, keptFigures, keptProducts } from './order-sums.ts'

/** What is kept of a test's orders, in the form of `orderFigures`. */
export async function keptOrderFigures(
  trx: Trx,
  storeId: string,
  testId: string,
): Promise<AllOrderFigures> {
  return {
    ...(await keptFigures(trx, storeId, testId)),
    cells: await keptCells(trx, storeId, testId),
    products: await keptProducts(trx, storeId, testId),
  }
}

/** Whether two are the same to the last digit. The order of their rows does not matter. */
export const areSameFigures = (a: AllOrderFigures, b: AllOrderFigures): boolean =>
  isDeepStrictEqual(sorted(a), sorted(b))

const sorted = ({ days, cells, products, ...figures }: AllOrderFigures) => ({
  ...figures,
  days: texts(days),
  cells: texts(cells),
  products: texts(products),
})
const texts = (rows: object[]): string[] =>
  rows.map(row => JSON.stringify(Object.entries(row).sort())).sort()

/**
 * Compares the kept sums of each test of a store with sums over all its orders. Makes those again
 * that differ. Returns the ids of their tests.
 */
export async function recountOrders(db: Db, storeId: string, now: Date): Promise<string[]> {
  const tests = await query<Summing>(
    db.kysely,
    `select store_id as "storeId", test_id as "testId" from test_order_states s
    where store_id = $1 and exists (select from tests t where t.store_id = s.store_id and t.test_id = s.test_id and t.settled_at is null)`,
    [storeId],
  )
  const wrong: string[] = []
  for (const { testId } of tests)
    if (await inSnapshot(db.kysely, trx => isRepaired(trx, storeId, testId, now)))
      wrong.push(testId)
  return wrong
}

async function isRepaired(trx: Trx, storeId: string, testId: string, now: Date): Promise<boolean> {
  const [test] = await query<Summing>(
    trx,
    `select t.store_id as "storeId", t.test_id as "testId", t.start_at as "from", t.ended_at as "to", coalesce(c.orders_changed, 0) as "ordersChanged"
    from tests t left join test_changes c on c.store_id = t.store_id and c.test_id = t.test_id
    where t.store_id = $1 and t.test_id = $2 and t.settled_at is null and t.start_at is not null`,
    [storeId, testId],
  )
  if (!test) return false
  test.unsureUntil = new Date(0)
  await sumOrders(trx, test, now)
  await query(trx, 'set local enable_sort = on', [])
  const right = await orderFigures(trx, storeId, testId, test.from, test.to)
  if (areSameFigures(await keptOrderFigures(trx, storeId, testId), right)) return false
  await forgetOrderSums(trx, storeId, [testId])
  await sumOrders(trx, test, now)
  // The kept sums now include what the last summary does not.
  await query(
    trx,
    'update test_changes set changed = changed + 1 where store_id = $1 and test_id = $2',
    [storeId, testId],
  )
  return true
}
