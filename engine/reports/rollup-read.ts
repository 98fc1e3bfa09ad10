import { sql } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { ChargeCounts, Verdict } from '../../domain/reports/summary.ts'
import { isEndMoving } from '../../domain/tests/planned-end.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { OrderCell, OrderFigures } from '../db/order-figures.ts'
import type { Trx } from '../db/types.ts'
import { orderFigures } from '../orders/order-figures.ts'
import type { ProductOrders } from '../orders/order-groups.ts'
import { chargesOf } from '../prices/charge-counts.ts'
import { statusHistory, type StatusHistory } from '../tests/status-history.ts'
import { commitTime, stillSince } from '../tests/test-statuses.ts'
import { visitorTotals, type VisitorTotals } from './test-totals.ts'

/** A test as it is summed up, with what its last summary was made of. */
export type TestRow = {
  store_id: string
  test_id: string
  kind: TestKind
  is_imported: boolean
  not_in_file: ImportFact[]
  goal: Goal
  weights: PerArm<number>
  minimum_effect: number
  planned_visitors: number
  needed_visitors: number | null
  start_at: Date
  ends_at: Date | null
  ended_at: Date | null
  updated_at: Date
  time_zone: string
  still_since: Date | null
  history: StatusHistory
  verdict_kind: Verdict['kind'] | null
  verdict_at: Date | null
  verdict_lift: number | null
  verdict_chance: number | null
  changed: number
  orders_changed: number
  seen_orders: number | null
  order_figures: OrderFigures | null
  summed_at: Date | null
}
/**
 * The planned end in milliseconds, or null. Infinity while the test is paused: its end then moves
 * later day by day and cannot come.
 */
export const plannedEnd = (test: TestRow): number | null =>
  isEndMoving(test.ends_at, test.still_since) ? Infinity : (test.ends_at?.getTime() ?? null)

/** `cells` and `products` are null unless the orders were read again. */
export type Read = {
  test: TestRow
  charges: ChargeCounts | null
  visitors: VisitorTotals
  orders: OrderFigures
  cells: OrderCell[] | null
  products: ProductOrders[] | null
}

/** Reads what the summary of a test is made of; null for a test that is deleted or has no start. */
export async function readTest(trx: Trx, storeId: string, testId: string): Promise<Read | null> {
  const {
    rows: [test],
  } = await sql<TestRow>`
    select t.store_id, t.test_id, t.kind, t.is_imported, t.not_in_file, t.goal, t.weights, t.minimum_effect, t.planned_visitors, t.needed_visitors, t.start_at, t.ends_at, t.ended_at, t.updated_at, st.time_zone, ${stillSince} as still_since,
      ${statusHistory} as history,
      t.verdict_kind, t.verdict_at, t.verdict_lift, t.verdict_chance, coalesce(c.changed, 0) as changed, coalesce(c.orders_changed, 0) as orders_changed,
      s.orders_changed as seen_orders, s.order_figures, s.updated_at as summed_at
    from tests t join stores st on st.store_id = t.store_id
    left join test_changes c on c.store_id = t.store_id and c.test_id = t.test_id
    left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
    where t.store_id = ${storeId} and t.test_id = ${testId} and t.start_at is not null`.execute(trx)
  if (!test) return null
  // Reads the orders again only if one came or moved, or if the test's own times may have changed.
  // A change may still have been uncommitted for `commitTime`, so the first summary after that
  // reads them too.
  const isSame =
    test.order_figures &&
    test.summed_at &&
    test.seen_orders === test.orders_changed &&
    test.updated_at.getTime() + commitTime < test.summed_at.getTime()
  const visitors = await visitorTotals(trx, storeId, testId),
    charges = test.kind === 'Price' ? await chargesOf(trx, storeId, testId) : null
  if (isSame)
    return { test, charges, visitors, orders: test.order_figures!, cells: null, products: null }
  const { cells, products, ...orders } = await orderFigures(
    trx,
    storeId,
    testId,
    test.start_at,
    test.ended_at,
  )
  return { test, charges, visitors, orders, cells, products }
}
