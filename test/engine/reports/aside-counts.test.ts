import t from 'tap'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { rows as query } from '../../../engine/db/raw.ts'
import { asideSql, lookedUp, visitorTotals } from '../../../engine/reports/test-totals.ts'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'

const engine = await startEngine()
const { db, now, call } = engine
t.teardown(engine.close)
const { id: store } = await call('storeInfo', {})
const testId = await seedTest(db, store)
const otherTest = await seedTest(db, store)

/**
 * Sets a network aside: stores the decision, and `visitors` visitors of the network who met this
 * test.
 */
async function setAside(name: string, test: string, visitors: number) {
  const decision = randomUUID()
  await sql`insert into network_decisions (store_id, decision_id, network, kind, decided_by, decided_at, until, visitors)
    values (${store}, ${decision}, ${name}, 'setAside', 'rule', ${now.at}, ${now.at}, ${visitors})`.execute(
    db.kysely,
  )
  await sql`insert into visitors_aside (store_id, visitor_id, decision_id)
    select ${store}::uuid, ${name}::text || n, ${decision}::uuid from generate_series(1, ${visitors}::int) n`.execute(
    db.kysely,
  )
  await sql`insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_aside, first_exposed_at)
    select ${store}::uuid, ${test}::uuid, ${name}::text || n, n % 2, 0, 0, false, true, ${now.at}::timestamptz from generate_series(1, ${visitors}::int) n`.execute(
    db.kysely,
  )
  await sql`insert into test_arms (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside, aside)
    select ${store}::uuid, ${test}::uuid, arm, 0, 0, 0, 0, 0, 0, 0, ${visitors}::int from generate_series(0, 1) arm
    on conflict (store_id, test_id, arm) do update set aside = test_arms.aside + excluded.aside`.execute(
    db.kysely,
  )
}

/** A node of an executed query plan, as EXPLAIN ANALYZE prints it. */
type Node = {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}
const rowsRead = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).map(rowsRead).reduce((a, b) => a + b, 0)

t.test('networks of a test are counted without reading all of their visitors', async t => {
  await setAside('here', testId, 20_000)
  await setAside('there', otherTest, 20_000)
  await setAside('few', testId, 3)
  const { aside } = await visitorTotals(db.kysely, store, testId)
  t.equal(aside.networks, 2)
  const [row] = await query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    db.kysely,
    `explain (analyze, format json) ${asideSql}`,
    [store, testId, true],
  )
  t.ok(
    rowsRead(row!['QUERY PLAN'][0].Plan) < 6 * lookedUp,
    'of 40,003 visitors only a few are read',
  )
})
