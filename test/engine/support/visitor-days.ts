import type { PerArm } from '../../../domain/arm.ts'
import { run } from '../../../engine/db/raw.ts'
import type { Db } from '../../../engine/db/connection.ts'

/**
 * Inserts the counts of one day's visitors into the table that the rollup reads, instead of
 * thousands of beacons.
 */
export async function seedVisitorDays(
  db: Db,
  store: string,
  test: string,
  day: string,
  arms: PerArm<{ visitors: number; clickers: number }>,
): Promise<void> {
  for (const [arm, { visitors, clickers }] of arms.entries())
    await run(
      db.kysely,
      `insert into test_days (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders) values ($1, $2, $3, $4, 'all', '', $5, $6, 0)`,
      [store, test, day, arm, visitors, clickers],
    )
}
