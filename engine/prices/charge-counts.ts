import { type Kysely, sql } from 'kysely'
import { recentBuyers } from '../../domain/prices/charge-rule.ts'
import type { ChargeCounts } from '../../domain/reports/summary.ts'
import type { Schema } from '../db/schema.ts'

/**
 * `recent`: the counts of the latest buyers only (`recentBuyers`), which decide whether the test is
 * put on hold.
 */
type Found = ChargeCounts & { recent: { judged: number; wrong: number } }

/**
 * Counts what the orders since a price test last started or was resumed say about the prices
 * charged. Each buyer counts once, so that no buyer alone can stop a test. An order without cart
 * attributes says nothing about an arm and is counted separately (`unmarked`).
 */
export async function chargeCounts(
  kysely: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<Found> {
  const {
    rows: [counts],
  } = await sql<Found>`
    with checked as (
      select c.order_id, c.at, c.is_unmarked, c.cause, c.message, coalesce(o.visitor_id, c.order_id) as buyer
      from price_checks c left join orders o on o.store_id = c.store_id and o.order_id = c.order_id
      where c.store_id = ${storeId} and c.test_id = ${testId} and c.at > (
        select max(h.applied_on) from test_history h where h.store_id = c.store_id and h.test_id = c.test_id and h.status = 'Active')),
    buyers as (select bool_or(cause is not null) as is_wrong, max(at) as at, buyer from checked where not is_unmarked group by buyer),
    recent as (select is_wrong from buyers order by at desc, buyer limit ${recentBuyers})
    select (select count(*)::int from buyers) as judged, (select count(*)::int from buyers where is_wrong) as wrong,
      (select json_build_object('judged', count(*), 'wrong', count(*) filter (where is_wrong)) from recent) as recent,
      (select count(*)::int from checked where is_unmarked) as unmarked,
      (select message from checked where message is not null order by at desc, order_id limit 1) as latest`.execute(
    kysely,
  )
  return counts!
}

/** The same counts as the summary stores them, without `recent`. */
export async function chargesOf(
  kysely: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<ChargeCounts> {
  const { recent: _, ...counts } = await chargeCounts(kysely, storeId, testId)
  return counts
}
