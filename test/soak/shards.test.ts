import t from 'tap'
import { checkShards } from '../../scripts/shards/check.ts'

t.setTimeout(3_600_000)

/** Tests that together send most of the engine's statements. */
const tests = [
  'test/engine/http/walk.test.ts',
  'test/engine/http/tenancy.test.ts',
  'test/engine/events/collector.test.ts',
  'test/engine/events/aggregate.test.ts',
  'test/engine/events/upkeep.test.ts',
  ...['google', 'jobs', 'orders', 'plans', 'prices', 'products', 'reports', 'staff', 'stores'].map(
    room => `test/engine/${room}`,
  ),
]

t.test('on a Postgres that is split by store, each statement touches one shard', async t => {
  const report = await checkShards(tests)
  const { statements, counts, split, global, refused } = report
  t.comment(
    `${split.length} tables are split, ${global.length} have no store; ${statements} statements: ${counts.one} touch one shard, ${counts.byRow} one that a row of theirs names, ${counts.none} none`,
  )
  for (const [reason, count] of Object.entries(counts.excepted)) t.comment(`${count}: ${reason}`)
  t.ok(statements > 500, 'the tests have sent enough')
  t.ok(split.includes('events') && split.length > 60)
  t.same(report.unexpected, [], 'no statement touches several shards without a listed reason')
  t.same(report.unexpectedRules, [], 'Postgres takes every key, index and foreign key')
  t.same(
    refused.map(({ rule }) => rule),
    ['stores_shop_key'],
    'except that a shop has one store',
  )
})
