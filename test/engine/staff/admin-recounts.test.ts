import t from 'tap'
import { sql } from 'kysely'
import { maxJobs } from '../../../domain/jobs/job-lane.ts'
import { add } from '../../../engine/jobs/queue.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { aggregatesOf, beacon, collect, event, noon, visitorIn } from '../support/traffic.ts'
import { staffCaller } from '../../server/support/staff.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'

const engine = await startEngine()
const { db, now } = engine
t.teardown(engine.close)
now.at = new Date(noon)
await engine.engine.samples.staff()
const anyone = staffCaller({ engine })
const { email, password, name: memberName } = developmentStaff
const { token } = await anyone('staffSignIn', { body: { email, password } })
const staff: typeof anyone = (name, input) => anyone(name, input, token)
const { id: storeId } = await engine.call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', storeId)
  .execute()
const tests = [
  await seedTest(db, storeId, { title: 'First' }),
  await seedTest(db, storeId, { title: 'Second' }),
] as const
const page = () => staff('adminStore', { params: { id: storeId } })
const recount = (testId?: string, id = storeId) => {
  now.at = new Date(now.at.getTime() + 1_000)
  return staff('recount', { params: { id }, body: testId === undefined ? {} : { testId } })
}
/** Runs the recounts that were asked for; they begin some seconds later. */
const counted = async () => {
  now.at = new Date(now.at.getTime() + 5_000)
  await engine.engine.runJobs()
}
const harm = () => sql`update test_arms set exposed = exposed + 5`.execute(db.kysely)

t.before(async () => {
  for (const testId of tests)
    await collect(
      engine.engine.app,
      beacon(visitorIn(testId, 1, `anna-${testId}`), { [testId]: [1, 7] }, [
        event('exposure', noon - 60_000, [testId]),
        event('view', noon - 60_000),
      ]),
    )
})

t.test(
  'staff count the figures of a store again; the page shows the run, and the log who asked',
  async t => {
    const right = await aggregatesOf(db)
    t.same((await page()).recounts, [])
    await harm()
    const waiting = await add(
      db.kysely,
      { storeId, kind: 'rebuild', key: 'rebuild', runAt: new Date(noon + 86_400_000) },
      now.at,
    )
    t.match((await page()).recounts, [
      { id: waiting, isWholeStore: true, test: null, status: 'queued', progress: 0, by: null },
    ])
    const { jobId } = await recount()
    t.equal(jobId, waiting, 'while one waits, asking again makes no second one')
    await counted()
    t.same(await aggregatesOf(db), right)
    const { recounts, acts } = await page()
    t.match(recounts, [
      { id: jobId, status: 'completed', progress: 1, message: '2 tests were counted again' },
    ])
    t.match(acts[0], {
      act: 'Asked for a recount',
      detail: 'All figures of the store',
      by: { name: memberName },
    })
  },
)

t.test('a test alone is counted again', async t => {
  const right = await aggregatesOf(db)
  await harm()
  await recount(tests[0])
  await counted()
  const { recounts, acts } = await page()
  t.match(recounts[0], {
    isWholeStore: false,
    test: 'First',
    status: 'completed',
    message: '“First” was counted again',
  })
  t.match(acts[0], { act: 'Asked for a recount', detail: '“First”' })
  t.notSame(await aggregatesOf(db), right, 'the other test is not counted again')
  await recount(tests[1])
  await counted()
  t.same(await aggregatesOf(db), right)
})

t.test('a recount says which tests stay as they were counted', async t => {
  await db.kysely
    .updateTable('tests')
    .set({ settled_at: now.at })
    .where('test_id', '=', tests[0])
    .execute()
  await recount()
  await counted()
  t.match((await page()).recounts[0], {
    status: 'completed',
    by: memberName,
    message: /^One test was counted again\. One test stays as counted/,
  })
})

t.test('an unknown or uninstalled store and too many recounts are refused', async t => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  const other = await seedStore(db, { shop: 'other.demo-shop.test', name: 'Other' }),
    gone = await seedStore(db, {
      shop: 'gone.demo-shop.test',
      name: 'Gone',
      status: 'uninstalled',
    })
  for (const [testId, id] of [
    [undefined, nobody],
    [undefined, 'x'],
    ['x', storeId],
    [nobody, storeId],
    [tests[0], other],
  ] as const)
    t.equal((await refusal(recount(testId, id))).status, 404, `${id} ${testId}`)
  t.equal((await refusal(recount(undefined, gone))).status, 409)
  for (let n = 0; n < maxJobs.rebuild!; n++)
    await add(
      db.kysely,
      { storeId, kind: 'rebuild', key: `n${n}`, runAt: new Date(noon + 86_400_000) },
      now.at,
    )
  t.equal((await refusal(recount())).status, 429)
})
