import { namingTables } from '../../../domain/stores/shoppers/kept-tables.ts'
import { clearColumns } from './cleared.ts'
import { dayPeriod } from '../../events/fold/periods.ts'
import { sql } from 'kysely'
import { day as dayLength } from '../../../domain/time-units.ts'
import type { Db } from '../../db/connection.ts'
import { withStoreLockAtLast } from '../../events/store-lock.ts'
import { sumUpLast } from '../../tests/settled.ts'
import { withoutForeignKey } from '../../tests/test-tables.ts'
import type { Trx } from '../../db/types.ts'

/** The longest time from the beginning of a usage cycle to its last visitor. Milliseconds. */
const longestCycle = 31 * dayLength

type Kept = { tests: number; rows: number }

/**
 * Deletes data about visitors after the retention time (domain/stores/shoppers/shopper-tables.ts).
 * Partitions of events are dropped elsewhere, networks by `forgetNetworks`. Figures stay: a test
 * whose visitors are deleted is settled.
 * Returns how many tests were settled and how many rows were deleted.
 */
export async function keepVisitors(
  db: Db,
  now: Date,
  retentionDays: number,
  signal?: AbortSignal,
): Promise<Kept> {
  const before = new Date(now.getTime() - retentionDays * dayLength)
  const kept: Kept = { tests: 0, rows: 0 }
  for (const { store_id, test_id } of await overTests(db, before)) {
    await sumUpLast(db, store_id, [test_id], now)
    kept.rows += await withStoreLockAtLast(
      db,
      store_id,
      trx => settle(trx, store_id, test_id, now),
      signal,
    )
    kept.tests++
  }
  for (const { store_id } of await db.kysely
    .selectFrom('stores')
    .select('store_id')
    .orderBy('store_id')
    .execute())
    kept.rows += await withStoreLockAtLast(
      db,
      store_id,
      trx => dropOf(trx, store_id, before),
      signal,
    )
  return kept
}

/**
 * Makes PGlite overwrite deleted rows (Postgres does so automatically). Runs once a day, because
 * PGlite has one connection and all requests wait meanwhile.
 */
export async function reclaim(db: Db): Promise<void> {
  if (!db.pglite) return
  // When a process dies during an import, the rows that it had read stay in a temporary table until
  // the next temporary table is created.
  await sql`create temp table after_a_crash ()`.execute(db.kysely)
  await sql`drop table after_a_crash`.execute(db.kysely)
  await sql`vacuum`.execute(db.kysely)
}

/**
 * Tests that ended before this time, and imports (finished or not) from before it, whose visitors
 * are still stored.
 */
async function overTests(
  { kysely }: Db,
  before: Date,
): Promise<{ store_id: string; test_id: string }[]> {
  const { rows } = await sql<{ store_id: string; test_id: string }>`
    select t.store_id, t.test_id from tests t left join test_imports i on i.store_id = t.store_id and i.test_id = t.test_id
      where t.settled_at is null and t.start_at is not null and t.ended_at < ${before} and (not t.is_imported or coalesce(i.imported_at, t.created_at) < ${before})
    union all select i.store_id, i.test_id from test_imports i where not i.is_finished and i.imported_at < ${before} order by 1, 2`.execute(
    kysely,
  )
  return rows
}

/** Call it with the store's lock. */
async function settle(trx: Trx, storeId: string, testId: string, now: Date): Promise<number> {
  await trx
    .updateTable('tests')
    .set({ settled_at: now })
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  const ofTest = sql`store_id = ${storeId} and test_id = ${testId}`
  let rows = 0
  const drop = async (table: string, where = ofTest) => {
    rows += Number(
      (await sql`delete from ${sql.table(table)} where ${where}`.execute(trx)).numAffectedRows ?? 0,
    )
  }
  // Events of an import are on no partition that is dropped by age.
  if (
    await trx
      .selectFrom('test_imports')
      .select('title')
      .where(sql<boolean>`${ofTest}`)
      .executeTakeFirst()
  )
    await drop(
      'events',
      sql`store_id = ${storeId} and visitor_id in (select visitor_id from test_visitors where ${ofTest})`,
    )
  for (const table of [
    'test_visitors',
    'test_visitor_products',
    'test_orders',
    'test_order_titles',
    'order_marks',
    'price_checks',
    'test_imports',
  ])
    await drop(table)
  for (const [table, rule] of Object.entries(namingTables))
    await clearColumns(trx, table, rule, ofTest)
  return rows
}

/**
 * Deletes the old rows of a store, after its old tests are settled. Call it with the store's lock.
 */
async function dropOf(trx: Trx, storeId: string, before: Date): Promise<number> {
  const day = before.toISOString().slice(0, 10),
    cycle = `cycle:${new Date(before.getTime() - longestCycle).toISOString()}`
  const isInTest = (table: string) =>
    sql`exists (select from test_visitors v where v.store_id = ${sql.ref(`${table}.store_id`)} and v.visitor_id = ${sql.ref(`${table}.visitor_id`)})`
  let rows = await dropDeleted(trx, storeId)
  for (const statement of [
    sql`delete from visitor_sessions s where s.store_id = ${storeId} and s.last_at < ${before} and not ${isInTest('s')}`,
    sql`delete from store_visitors where store_id = ${storeId} and (period >= 'day:' and period < ${dayPeriod(day)} or period >= 'cycle:' and period < ${cycle})`,
    sql`delete from visitors_aside a where a.store_id = ${storeId} and not ${isInTest('a')}
      and not exists (select from network_decisions d where d.store_id = a.store_id and d.decision_id = a.decision_id and d.decided_at >= ${before})`,
    sql`delete from network_decisions d where d.store_id = ${storeId} and d.decided_at < ${before} and not exists (select from visitors_aside a where a.store_id = d.store_id and a.decision_id = d.decision_id)`,
    sql`delete from orders o where o.store_id = ${storeId} and o.created_at < ${before} and not exists (select from tests t where t.store_id = o.store_id and t.settled_at is null and t.start_at is not null
      and (o.imported_for = t.test_id or (o.imported_for is null and not t.is_imported and o.created_at >= t.start_at and (t.ended_at is null or o.created_at < t.ended_at))))
      and not exists (select from test_imports i where i.store_id = o.store_id and i.test_id = o.imported_for)`,
    sql`delete from page_days where store_id = ${storeId} and day < ${day}`,
    sql`delete from page_days_built where store_id = ${storeId} and day < ${day}`,
  ])
    rows += Number((await statement.execute(trx)).numAffectedRows ?? 0)
  return rows
}

/**
 * Deletes rows that arrived just after their test was deleted. Every visitor counts in an arm, so
 * the few rows of test_arms name all such tests. A running import has arms too, although its test
 * is only created at its end.
 */
async function dropDeleted(trx: Trx, storeId: string): Promise<number> {
  const { rows: gone } = await sql<{ test_id: string }>`
    select distinct a.test_id from test_arms a where a.store_id = ${storeId}
      and not exists (select from tests t where t.store_id = a.store_id and t.test_id = a.test_id)
      and not exists (select from test_imports i where i.store_id = a.store_id and i.test_id = a.test_id and not i.is_finished)`.execute(
    trx,
  )
  let rows = 0
  for (const { test_id: testId } of gone)
    for (const table of withoutForeignKey)
      rows += Number(
        (
          await sql`delete from ${sql.table(table)} where store_id = ${storeId} and test_id = ${testId}`.execute(
            trx,
          )
        ).numAffectedRows ?? 0,
      )
  return rows
}
