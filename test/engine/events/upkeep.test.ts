import { cyclePeriod } from '../../../engine/events/fold/periods.ts'
import t from 'tap'
import { sql } from 'kysely'
import { add } from '../../../engine/jobs/queue.ts'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  deliver,
  event,
  noon,
  order,
  visitorIn,
} from '../support/traffic.ts'

const engine = await startEngine({}, { COUNTRY_HEADER: 'cf-ipcountry' })
const { db, now, call } = engine
t.teardown(engine.close)
now.at = new Date(noon)
const { id: store } = await call('storeInfo', {})
// The beacons come from this origin.
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', store)
  .execute()
const tests = [await seedTest(db, store), await seedTest(db, store)] as const

/** Runs one job of the store at once and returns the finished job. */
async function ran(
  kind: 'limitCheck' | 'rollupRepair' | 'rebuild',
  payload: Record<string, unknown> = {},
) {
  const id = await add(db.kysely, { storeId: store, kind, payload }, now.at)
  await engine.engine.runJobs()
  return call('storeJob', { params: { id } })
}
const changesOf = async (testId: string) =>
  (
    await sql<{
      changed: number
    }>`select changed from test_changes where test_id = ${testId}`.execute(db.kysely)
  ).rows[0]!.changed

t.before(async () => {
  for (const [n, arm] of ([0, 1, 0, 1, 1] as const).entries()) {
    const visitor = visitorIn(tests[n % 2]!, arm, `anna-${n}`),
      testId = tests[n % 2]!
    const { statusCode } = await collect(
      engine.engine.app,
      beacon(
        visitor,
        { [testId]: [arm, 7] },
        [
          event('exposure', noon - 60_000, [testId]),
          { ...event('view', noon - 60_000), product: '7' },
          event('view', noon - 30_000),
          event('cart', noon - 20_000),
          { ...event('vitals', noon - 10_000, [testId]), vitals: { lcp: 1200, cls: 0 } },
        ],
        { consent: true },
      ),
      { 'cf-ipcountry': 'DE' },
    )
    if (statusCode !== 204) throw new Error(`The beacon was answered ${statusCode}.`)
    await deliver(engine.engine.app, order(`order-${n}`, visitor, noon - 1_000, '20.00'))
  }
})

t.test('figures that match the events are not changed', async t => {
  const before = await aggregatesOf(db),
    changes = await Promise.all(tests.map(changesOf))
  t.match(await ran('rollupRepair'), {
    status: 'completed',
    progress: 1,
    message: 'All figures match the events',
  })
  t.same(await aggregatesOf(db), before)
  t.same(await Promise.all(tests.map(changesOf)), changes)
})

t.test('figures that do not match the events are counted again, and no others', async t => {
  const right = await aggregatesOf(db),
    [changes, othersChanges] = await Promise.all(tests.map(changesOf))
  const harms: Record<string, string> = {
    'a day counted too high': `update test_days set visitors = visitors + 1 where test_id = '${tests[0]}'`,
    'a visitor lost': `delete from test_visitors where test_id = '${tests[0]}' and arm = 0`,
    'an arm’s count lost': `delete from test_arms where test_id = '${tests[0]}'`,
    'cells of a wrong device': `update test_cube set device = 2 where test_id = '${tests[0]}'`,
    'a country’s cells lost': `delete from test_cube where test_id = '${tests[0]}' and country = 'DE'`,
    'one slow page too many': `update test_speed set pages = pages + 1 where test_id = '${tests[0]}' and metric = 'lcp'`,
    'consent taken away': `update test_visitors set consented = null where test_id = '${tests[0]}'`,
    'a session too long': `update visitor_sessions set views = 99`,
    'all of it lost': `delete from test_visitors where test_id = '${tests[0]}'; delete from test_days where test_id = '${tests[0]}'; delete from test_cube where test_id = '${tests[0]}'`,
  }
  for (const [what, harm] of Object.entries(harms)) {
    for (const statement of harm.split('; ')) await sql.raw(statement).execute(db.kysely)
    t.match(
      await ran('rollupRepair'),
      {
        status: 'completed',
        message:
          what === 'a session too long'
            ? '0 tests were counted again'
            : 'One test was counted again',
      },
      what,
    )
    t.same(await aggregatesOf(db), right, what)
  }
  t.ok((await changesOf(tests[0])) > changes!, 'it is summed up again')
  t.equal(await changesOf(tests[1]), othersChanges, 'the other test is not summed up again')
})

t.test('a rebuild counts one test again', async t => {
  const right = await aggregatesOf(db)
  await sql`update test_arms set exposed = exposed + 5`.execute(db.kysely)
  t.match(await ran('rebuild', { testId: tests[1] }), {
    status: 'completed',
    message: '“A test” was counted again',
  })
  const exposed = async (testId: string) =>
    (
      await sql<{
        n: number
      }>`select sum(exposed)::int as n from test_arms where test_id = ${testId}`.execute(db.kysely)
    ).rows[0]!.n
  t.equal(await exposed(tests[1]), 2)
  t.equal(await exposed(tests[0]), 13, 'the other test is not rebuilt')
  await ran('rebuild', { testId: tests[0] })
  t.same(await aggregatesOf(db), right)
  for (const testId of ['nonsense', store])
    t.match(await ran('rebuild', { testId }), {
      status: 'errored',
      message: 'There is no such test.',
    })
})

t.test('tests are held once the visitors of the cycle reach the plan’s limit', async t => {
  const statuses = async () =>
    (
      await db.kysely.selectFrom('tests').select('status').where('store_id', '=', store).execute()
    ).map(row => row.status)
  await ran('limitCheck')
  t.same(await statuses(), ['Active', 'Active'])
  const { usage_reset, created_at } = await db.kysely
    .selectFrom('stores')
    .select(['usage_reset', 'created_at'])
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  const cycle = cyclePeriod((usage_reset ?? created_at).getTime(), now.at.getTime())
  await sql`update store_periods set visitors = 100000 where store_id = ${store} and period = ${cycle}`.execute(
    db.kysely,
  )
  const onTrialUntil = (trial_end: Date | null) =>
    db.kysely.updateTable('stores').set({ trial_end }).where('store_id', '=', store).execute()
  await onTrialUntil(new Date(now.at.getTime() + 1))
  t.match(await ran('limitCheck'), { status: 'completed' })
  t.same(await statuses(), ['Active', 'Active'], 'not during the trial')
  await onTrialUntil(now.at)
  t.match(await ran('limitCheck'), { status: 'completed' })
  t.same(await statuses(), ['OnHold', 'OnHold'])
})
