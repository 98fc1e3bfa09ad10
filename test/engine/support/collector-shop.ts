import t from 'tap'
import { sql } from 'kysely'
import type { CollectorOptions } from '../../../engine/events/collector.ts'
import { freshDb } from './harness.ts'
import { seedStore, seedTest } from './seeds.ts'
import { collectingApp, noon } from './traffic.ts'

export const minute = 60_000,
  hour = 60 * minute
// Each test has its own database.
t.setTimeout(300_000)

/** A collector with a store and a running test, and functions that read the counts of the test. */
export async function shopWithTest(
  t: { teardown: (end: () => Promise<void>) => void },
  options: Partial<CollectorOptions> = {},
) {
  const db = await freshDb()
  let now = noon
  const app = await collectingApp(db, () => new Date(now), options)
  t.teardown(async () => {
    await app.close()
    await db.close()
  })
  const storeId = await seedStore(db)
  const testId = await seedTest(db, storeId)
  const days = async () =>
    (
      await sql<{ arm: number; value: string; visitors: number; clickers: number; adders: number }>`
    select arm, value, visitors, clickers, adders from test_days where visitors <> 0 order by arm, dimension, value`.execute(
        db.kysely,
      )
    ).rows
  const arms = async () =>
    (
      await sql<{
        arm: number
        recorded: number
        bots: number
        both_arms: number
        set_aside: number
      }>`
    select arm, recorded, bots, both_arms, set_aside from test_arms order by arm`.execute(db.kysely)
    ).rows
  return {
    db,
    app,
    storeId,
    testId,
    days,
    arms,
    at: (moment: number) => {
      now = moment
    },
  }
}
