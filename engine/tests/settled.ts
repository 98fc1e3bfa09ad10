import { sql, type SqlBool } from 'kysely'
import type { Db } from '../db/connection.ts'
import { rollUpTest } from '../reports/rollup-test.ts'
import type { Trx } from '../db/types.ts'

/*
 * A settled test has no stored visitors and orders any more. Its figures are those that were summed
 * up last: nothing sums them up again, rebuilds them or moves them to another calendar.
 */

/**
 * Sums these tests up a last time, so that their figures include the data that is about to be
 * deleted.
 */
export async function sumUpLast(
  db: Db,
  storeId: string,
  testIds: readonly string[],
  now: Date,
): Promise<void> {
  for (const testId of testIds) await rollUpTest(db, storeId, testId, now)
}

/** A condition on rows `t` of `tests`. */
export const isSettled = sql<SqlBool>`t.settled_at is not null`

export async function settledTests(trx: Trx, storeId: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('tests as t')
    .select('t.test_id')
    .where('t.store_id', '=', storeId)
    .where(isSettled)
    .execute()
  return new Set(rows.map(row => row.test_id))
}
