import { sql } from 'kysely'
import t from 'tap'
import { cyclePeriod } from '../../../engine/events/fold/periods.ts'
import { add } from '../../../engine/jobs/queue.ts'
import { addDue } from '../../../engine/operators/schedule.ts'
import { seedTest } from '../support/seeds.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, shopOrigin, db, now, call, close } = await startWithShop()
t.teardown(close)
const minute = 60_000,
  day = 86_400_000
const { id: store } = await call('storeInfo', {})
const test = (id: string) => call('test', { params: { id } })
const statusOf = async (id: string) => (await test(id)).status
const seed = (over: Parameters<typeof seedTest>[2] = {}) =>
  seedTest(db, store, { start_at: now.at, ...over })

/** Sets the visitors of the store's present usage cycle. */
async function visitors(count: number): Promise<void> {
  const { usage_reset, created_at } = await db.kysely
    .selectFrom('stores')
    .select(['usage_reset', 'created_at'])
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  const cycle = cyclePeriod((usage_reset ?? created_at).getTime(), now.at.getTime())
  await sql`insert into store_periods (store_id, period, visitors) values (${store}, ${cycle}, ${count})
    on conflict (store_id, period) do update set visitors = excluded.visitors`.execute(db.kysely)
}
/** Puts the store's running tests on hold at the plan's limit. */
async function reachLimit(): Promise<void> {
  await visitors((await call('storeStatus', {})).sessionLimit)
  await add(db.kysely, { storeId: store, kind: 'limitCheck', key: 'limitCheck' }, now.at)
  await engine.runJobs()
}
/** Lets time pass, and runs what the schedule adds. */
async function pass(ms: number): Promise<void> {
  now.at = new Date(now.at.getTime() + ms)
  await addDue(db, now.at)
  await engine.runJobs()
}
const endAll = () => call('endAllTests', { body: { priceTestsOnly: false } })

t.test('at the usage reset the tests at the limit resume, and no others', async t => {
  const [held, paused] = [await seed(), await seed()]
  await call('updateTest', { params: { id: paused }, body: { status: 'Paused' } })
  const gone = await seed({
    kind: 'UrlRedirect',
    control_url: '/pages/about',
    redirect_url: '/pages/nowhere',
  })
  await reachLimit()
  const atLimit = await test(held)
  t.match(atLimit, { status: 'OnHold', holdCause: { cause: 'visitorLimit' } })
  t.match(atLimit.holdCause!.remedy, /resume by themselves/)
  t.match(await test(gone), { status: 'OnHold', holdCause: { cause: 'visitorLimit' } })
  const elsewhere = await seed({
    status: 'OnHold',
    hold_cause: JSON.stringify({ cause: 'chargeMismatch', message: 'M.', remedy: 'R.' }),
  })

  await pass(day)
  t.equal(await statusOf(held), 'OnHold', 'not before the reset')
  await pass(30 * day)
  const resumed = await test(held)
  t.match(resumed, { status: 'Active', holdCause: null })
  t.match(resumed.events.at(-1), { kind: 'Start', detail: 'Resumed' })
  t.equal(await statusOf(paused), 'Paused', 'the merchant paused it')
  t.match(await test(elsewhere), { status: 'OnHold', holdCause: { cause: 'chargeMismatch' } })
  const other = await test(gone)
  t.match(
    other,
    { status: 'OnHold', holdCause: { cause: 'pageGone', message: /no page at \/pages\/nowhere/ } },
    'something else prevents it, which its hold now says',
  )
  await pass(10 * minute)
  t.equal((await test(gone)).events.length, other.events.length, 'and says only once')
  await endAll()
})

t.test('a bigger plan resumes them at once', async t => {
  const held = await seed()
  await reachLimit()
  t.equal(await statusOf(held), 'OnHold')
  const { planId } = await call('storeInfo', {}),
    plans = await call('plans', {})
  const own = plans.find(({ id }) => id === planId)!
  const bigger = plans.find(
    ({ level, isAnnual, limit, available, requireAppointment }) =>
      level === own.level &&
      isAnnual === own.isAnnual &&
      limit > own.limit &&
      available &&
      !requireAppointment,
  )!
  const { confirmationUrl } = await call('subscribe', { params: { id: bigger.id }, query: {} })
  await shop.app.inject({
    method: 'POST',
    url: `${confirmationUrl.slice(shopOrigin.length)}/approve`,
  })
  await shop.delivered()
  t.equal((await call('storeInfo', {})).planId, bigger.id)
  await engine.runJobs()
  t.match(await test(held), { status: 'Active', holdCause: null })
  await endAll()
})

t.test('visitors that are given back resume them within minutes', async t => {
  const held = await seed(),
    ended = await seed()
  await reachLimit()
  await call('updateTest', { params: { id: ended }, body: { status: 'Ended' } })
  await pass(5 * minute)
  t.equal(await statusOf(held), 'OnHold')
  // As when the visitors of a network are set aside.
  await visitors(1)
  await pass(5 * minute)
  t.match(await test(held), { status: 'Active', holdCause: null })
  t.equal(await statusOf(ended), 'Ended')
  await endAll()
})
