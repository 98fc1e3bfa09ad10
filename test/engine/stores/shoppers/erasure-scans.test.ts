import { sql } from 'kysely'
import t from 'tap'
import { unlinkShopper } from '../../../../engine/stores/shoppers/shopper-erasure.ts'
import { freshDb } from '../../support/harness.ts'
import { seedStore, seedTest } from '../../support/seeds.ts'
import { beacon, collect, collectingApp, event, noon, visitorIn } from '../../support/traffic.ts'

const db = await freshDb(),
  app = await collectingApp(db, () => new Date(noon))
t.teardown(() => app.close())
const store = await seedStore(db),
  testId = await seedTest(db, store)

/**
 * How many scans of the events tables there were, with or without an index. Always 0 on Postgres,
 * whose statistics come late with many connections.
 */
async function scans(): Promise<number> {
  if (!db.pglite) return 0
  await sql`select pg_stat_force_next_flush()`.execute(db.kysely)
  const { rows } = await sql<{ scans: number }>`
    select sum(seq_scan + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables where relname like 'events%'`.execute(
    db.kysely,
  )
  return rows[0]!.scans
}
async function erase(visitors: string[]) {
  const before = await scans()
  const counts = await db.kysely
    .transaction()
    .execute(trx => unlinkShopper(trx, store, { visitors, orders: [] }, { note: async () => {} }))
  return { counts, scans: (await scans()) - before }
}

t.test('erasing a shopper with eight visitors scans the events no more often', async t => {
  const visitors = Array.from({ length: 9 }, (_, n) => visitorIn(testId, n % 2 ? 1 : 0, `own-${n}`))
  for (const [n, visitor] of visitors.entries())
    t.equal(
      (
        await collect(
          app,
          beacon(visitor, { [testId]: [n % 2 ? 1 : 0, 7] }, [
            event('exposure', noon - 1_000, [testId]),
          ]),
        )
      ).statusCode,
      204,
    )
  const one = await erase(visitors.slice(0, 1)),
    eight = await erase(visitors.slice(1))
  t.same([one.counts['events'], eight.counts['events']], [1, 8])
  t.equal(one.scans > 0, db.pglite !== undefined)
  t.ok(eight.scans <= one.scans, `${eight.scans} against ${one.scans}`)
  const { rows } = await sql<{ visitor: string; arm: number }>`
    select visitor_id as visitor, arm from test_visitors where store_id = ${store} order by arm`.execute(
    db.kysely,
  )
  t.same(
    rows.map(({ arm }) => arm),
    [0, 0, 0, 0, 0, 1, 1, 1, 1],
    'each visitor keeps the arm',
  )
  t.notOk(rows.some(({ visitor }) => visitors.includes(visitor)))
})
