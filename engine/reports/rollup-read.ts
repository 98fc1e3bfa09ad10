import { sql } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { ChargeCounts, Verdict } from '../../domain/reports/summary.ts'
import { isEndMoving } from '../../domain/tests/planned-end.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { OrderFigures } from '../db/order-figures.ts'
import type { Trx } from '../db/types.ts'
import { sumOrders } from '../orders/order-state.ts'
import { keptFigures } from '../orders/order-sums.ts'
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
}
/**
 * The planned end in milliseconds, or null. Infinity while the test is paused: its end then moves
 * later day by day and cannot come.
 */
export const plannedEnd = (test: TestRow): number | null =>
  isEndMoving(test.ends_at, test.still_since) ? Infinity : (test.ends_at?.getTime() ?? null)

export type Read = {
  test: TestRow
  charges: ChargeCounts | null
  visitors: VisitorTotals
  orders: OrderFigures
}

/**
 * Reads what the summary of a test is made of, after it has brought the sums of its orders up to
 * date. Null for a test that is deleted or has no start.
 */
export async function readTest(
  trx: Trx,
  storeId: string,
  testId: string,
  now: Date,
): Promise<Read | null> {
  const {
    rows: [test],
  } = await sql<TestRow>`
    select t.store_id, t.test_id, t.kind, t.is_imported, t.not_in_file, t.goal, t.weights, t.minimum_effect, t.planned_visitors, t.needed_visitors, t.start_at, t.ends_at, t.ended_at, t.updated_at, st.time_zone, ${stillSince} as still_since,
      ${statusHistory} as history,
      t.verdict_kind, t.verdict_at, t.verdict_lift, t.verdict_chance, coalesce(c.changed, 0) as changed, coalesce(c.orders_changed, 0) as orders_changed
    from tests t join stores st on st.store_id = t.store_id
    left join test_changes c on c.store_id = t.store_id and c.test_id = t.test_id
    where t.store_id = ${storeId} and t.test_id = ${testId} and t.start_at is not null`.execute(trx)
  if (!test) return null
  await sumOrders(
    trx,
    {
      storeId,
      testId,
      from: test.start_at,
      to: test.ended_at,
      ordersChanged: test.orders_changed,
      unsureUntil: new Date(test.updated_at.getTime() + commitTime),
    },
    now,
  )
  return {
    test,
    charges: test.kind === 'Price' ? await chargesOf(trx, storeId, testId) : null,
    visitors: await visitorTotals(trx, storeId, testId),
    // Never the figures of the last summary: another process may have brought the sums up to date
    // and not stored its summary yet, or it was killed in between.
    orders: await keptFigures(trx, storeId, testId),
  }
}
