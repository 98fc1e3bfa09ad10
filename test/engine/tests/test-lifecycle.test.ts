import t from 'tap'
import type { EngineContext } from '../../../engine/context.ts'
import { holdTests } from '../../../engine/tests/test-checks.ts'
import { resumeSuspended, suspendTests } from '../../../engine/tests/test-suspension.ts'
import type { Refused } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { startLifecycleShop } from '../support/shops/lifecycle-shop.ts'

const { engine, call, db, now, platform, store, test, put, statusOf, alone } =
  await startLifecycleShop(t)
const day = 86_400_000
// Tokens last ten minutes, so the tests move dates into the past instead of moving the clock.
const ago = (days: number) => new Date(now.at.getTime() - days * day)
const publisher = { request: async () => {}, publish: async () => {}, stop: async () => {} }
const context = { db, clock: () => now.at, platform, publisher } as unknown as EngineContext
const element = [
  {
    id: '00000000-0000-0000-0000-000000000000',
    urlPatterns: ['/products/*'],
    actions: [{ selector: '.buy', kind: 'text' as const, value: 'Take it', name: '' }],
  },
]

async function readyDraft(title = 'Scheduled') {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title } })
  await call('setDomSelectors', {
    params: { id: draft.hypotheses[1]!.id },
    body: { domSelectors: element },
  })
  return draft.id
}

const due = (kind: 'scheduledStart' | 'scheduledEnd') =>
  db.kysely
    .selectFrom('jobs')
    .select(['run_at', 'status'])
    .where('store_id', '=', store)
    .where('kind', '=', kind)
    .where('status', '=', 'queued')
    .execute()
/** Sets the time of a scheduled start or end to just before now, and runs the job. */
const come = async (
  id: string,
  column: 'launch_at' | 'automatically_end_at',
  kind: 'scheduledStart' | 'scheduledEnd',
) => {
  await db.kysely
    .updateTable('tests')
    .set({ [column]: ago(0.001) })
    .where('test_id', '=', id)
    .execute()
  await db.kysely
    .updateTable('jobs')
    .set({ run_at: ago(0.001) })
    .where('store_id', '=', store)
    .where('kind', '=', kind)
    .where('status', '=', 'queued')
    .execute()
  await engine.runJobs()
}

t.test(
  'a launch with a start in the future makes a scheduled test, which starts and ends at its times',
  async t => {
    const draft = await readyDraft()
    const launchAt = new Date(now.at.getTime() + 3 * day).toISOString(),
      automaticallyEndAt = new Date(now.at.getTime() + 30 * day).toISOString()
    await call('scheduleDraft', { params: { id: draft }, body: { launchAt, automaticallyEndAt } })
    const { testId } = await call('launchDraft', { params: { id: draft } })
    const scheduled = await test(testId)
    t.match(scheduled, { status: 'Scheduled', startAt: null, launchAt, automaticallyEndAt })
    t.same(
      scheduled.events.map(each => each.kind),
      ['Created'],
    )
    t.match(await due('scheduledStart'), [{ run_at: new Date(launchAt) }])
    const length = Date.parse(scheduled.endsAt!) - Date.parse(launchAt)

    const later = new Date(now.at.getTime() + 5 * day).toISOString()
    const moved = await call('scheduleTest', { params: { id: testId }, body: { launchAt: later } })
    t.match(moved, {
      launchAt: later,
      automaticallyEndAt,
      endsAt: new Date(Date.parse(later) + length).toISOString(),
    })
    t.match(await due('scheduledStart'), [{ run_at: new Date(later) }])
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { launchAt: null } }),
      like({ status: 400, problem: { fields: [{ field: 'launchAt' }] } }),
    )
    await engine.runJobs()
    t.equal(await statusOf(testId), 'Scheduled', 'not before its time')

    await come(testId, 'launch_at', 'scheduledStart')
    const started = await test(testId)
    t.match(started, { status: 'Active', startAt: now.at.toISOString() })
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { launchAt: later } }),
      like({ status: 400 }),
      'the test has started',
    )
    await come(testId, 'automatically_end_at', 'scheduledEnd')
    t.match(await test(testId), { status: 'Ended', endedAt: now.at.toISOString() })
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { automaticallyEndAt: null } }),
      like({ status: 409 }),
    )
  },
)

t.test(
  'a scheduled end that was removed does not come; paused and held tests also end at their time',
  async t => {
    const automatically_end_at = new Date(now.at.getTime() + 2 * day)
    for (const status of ['Paused', 'OnHold', 'Suspended'] as const) {
      const id = await seedTest(db, store, { status, automatically_end_at })
      const again = new Date(now.at.getTime() + 4 * day).toISOString()
      t.equal(
        (await call('scheduleTest', { params: { id }, body: { automaticallyEndAt: again } }))
          .automaticallyEndAt,
        again,
      )
      await come(id, 'automatically_end_at', 'scheduledEnd')
      t.equal(await statusOf(id), 'Ended', status)
    }
    const id = await seedTest(db, store, { automatically_end_at })
    await call('scheduleTest', {
      params: { id },
      body: { automaticallyEndAt: automatically_end_at.toISOString() },
    })
    await call('scheduleTest', { params: { id }, body: { automaticallyEndAt: null } })
    t.same(await due('scheduledEnd'), [])
    await alone()
  },
)

t.test(
  'a test that cannot start at its time, or when started by hand, is put on hold instead',
  async t => {
    const [byTime, byHand] = [
      await seedTest(db, store, { status: 'Scheduled', start_at: null, launch_at: ago(0.001) }),
      await seedTest(db, store, {
        status: 'Scheduled',
        start_at: null,
        launch_at: new Date(now.at.getTime() + day),
      }),
    ]
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status: 'Frozen' })
      .where('store_id', '=', store)
      .execute()
    await db.kysely
      .insertInto('jobs')
      .values({
        store_id: store,
        job_id: crypto.randomUUID(),
        kind: 'scheduledStart',
        payload: JSON.stringify({ testId: byTime }),
        state: '{}',
        status: 'queued',
        progress: 0,
        message: null,
        run_at: now.at,
        created_at: now.at,
        updated_at: now.at,
      })
      .execute()
    await engine.runJobs()
    t.match(await test(byTime), {
      status: 'OnHold',
      startAt: null,
      holdCause: {
        cause: 'notSubscribed',
        message: /no active subscription/,
        remedy: /Choose a plan/,
      },
    })
    t.match(await put(byHand, 'Active'), {
      status: 'OnHold',
      holdCause: { cause: 'notSubscribed' },
    })
    await t.rejects(
      put(byHand, 'Active'),
      like({ status: 409, problem: { message: /on hold cannot become running.*Choose a plan/ } }),
    )
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status: 'Active' })
      .where('store_id', '=', store)
      .execute()
    t.match(await put(byHand, 'Active'), {
      status: 'Active',
      holdCause: null,
      startAt: now.at.toISOString(),
    })
    await alone()
  },
)

t.test(
  'a test that the plan no longer includes cannot start or resume, but a running one keeps running',
  async t => {
    const ahead = {
      status: 'Scheduled' as const,
      start_at: null,
      launch_at: new Date(now.at.getTime() + day),
    }
    const [runs, paused, narrowed, element] = [
      await seedTest(db, store, { kind: 'Api' }),
      await seedTest(db, store, { kind: 'Api', status: 'Paused' }),
      await seedTest(db, store, {
        kind: 'Template',
        status: 'Paused',
        audience_ids: JSON.stringify([crypto.randomUUID()]),
      }),
      await seedTest(db, store, ahead),
    ]
    const before = await db.kysely
      .selectFrom('stores')
      .select(['plan_id', 'feature_flags'])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    const on = (plan_id: string | null, feature_flags: string[]) =>
      db.kysely
        .updateTable('stores')
        .set({ plan_id, feature_flags: JSON.stringify(feature_flags) })
        .where('store_id', '=', store)
        .execute()
    await on('core-100k-monthly', [])
    await t.rejects(
      put(paused, 'Active'),
      like({
        status: 409,
        problem: {
          message:
            /^A test that is paused cannot become running\. API testing comes with the Advanced plan and above\./,
        },
      }),
    )
    await t.rejects(
      put(narrowed, 'Active'),
      like({ status: 409, problem: { message: /Custom audiences come with the Advanced plan/ } }),
    )
    t.match(await put(element, 'Active'), {
      status: 'OnHold',
      startAt: null,
      holdCause: {
        cause: 'notIncluded',
        message: /contact support to enable/,
        remedy: /resume the test/,
      },
    })
    t.match(await call('resumeOnHold', { body: { testIds: [element] } }), {
      resumed: [],
      refused: [{ id: element, message: /contact support to enable/ }],
    })
    t.equal((await test(runs)).status, 'Active')
    await on(before.plan_id, before.feature_flags)
    t.equal((await put(paused, 'Active')).status, 'Active')
    t.match(await call('resumeOnHold', { body: { testIds: [element] } }), { resumed: [element] })
    await alone()
  },
)

t.test('tests that were suspended or put on hold after a given time are listed once', async t => {
  const [first, second] = [
    await seedTest(db, store, { start_at: now.at }),
    await seedTest(db, store, { start_at: now.at }),
  ]
  const none = await call('newOnHold', { query: {} })
  t.same(none.tests, [])
  await holdTests(context, store, 'visitorLimit', [first])
  const one = await call('newOnHold', { query: { timestamp: none.timestamp } })
  t.match(one.tests, [
    {
      id: first,
      status: 'OnHold',
      since: now.at.toISOString(),
      holdCause: { cause: 'visitorLimit' },
    },
  ])
  t.same((await call('newOnHold', { query: { timestamp: one.timestamp } })).tests, [])
  now.at = new Date(now.at.getTime() + 1000)
  await holdTests(context, store, 'visitorLimit')
  t.same(
    (await call('newOnHold', { query: { timestamp: one.timestamp } })).tests.map(each => each.id),
    [second],
  )
  t.same(
    (await call('newOnHold', { query: {} })).tests.map(each => each.id),
    [first, second],
  )
  await t.rejects(call('newOnHold', { query: { timestamp: 'yesterday' } }), like({ status: 400 }))

  const [running, paused, scheduled] = [
    await seedTest(db, store, { start_at: now.at }),
    await seedTest(db, store, { status: 'Paused' }),
    await seedTest(db, store, { status: 'Scheduled' }),
  ]
  await put(await seedTest(db, store, { start_at: now.at }), 'Ended')
  await db.kysely
    .insertInto('test_history')
    .values({ store_id: store, test_id: paused, status: 'Paused', applied_on: now.at })
    .execute()
  const subscription = (subscription_status: 'Frozen' | 'Active') =>
    db.kysely
      .updateTable('stores')
      .set({ subscription_status })
      .where('store_id', '=', store)
      .execute()
  await suspendTests(context, store)
  t.equal(await statusOf(running), 'Active', 'not while the subscription is active')
  await subscription('Frozen')
  await suspendTests(context, store)
  t.same(
    (await call('newSuspended', { query: {} })).tests.map(each => each.id).sort(),
    [first, second, running, paused].sort(),
  )
  t.match(await test(first), { status: 'Suspended', holdCause: { cause: 'visitorLimit' } })
  await t.rejects(
    put(running, 'Active'),
    like({ status: 409, problem: { message: 'A test that is suspended cannot become running.' } }),
  )
  await subscription('Active')
  await resumeSuspended(context, store)
  t.same(
    await Promise.all([first, second, running, paused, scheduled].map(statusOf)),
    ['OnHold', 'OnHold', 'Active', 'Paused', 'Scheduled'],
    'each has its old status',
  )
  t.match(await test(first), { holdCause: { cause: 'visitorLimit' } })
  t.same((await call('newSuspended', { query: {} })).tests, [])
  await alone()
})

t.test('all tests, or only the price tests, are ended together, and only once', async t => {
  const price = await seedTest(db, store, { kind: 'Price' })
  const others = [
    await seedTest(db, store),
    await seedTest(db, store, { status: 'Paused' }),
    await seedTest(db, store, { status: 'Scheduled', start_at: null }),
  ]
  t.same(await call('endAllTests', { body: { priceTestsOnly: true } }), { ended: [price] })
  const both = await Promise.all(
    [1, 2].map(() => call('endAllTests', { body: { priceTestsOnly: false } })),
  )
  t.same(both.flatMap(each => each.ended).sort(), others.sort())
  for (const id of others) t.equal((await test(id)).statusHistory.at(-1)!.status, 'Ended')
  t.same(await call('endAllTests', { body: { priceTestsOnly: false } }), { ended: [] })
})

t.test('a launch without a paid plan is refused', async t => {
  const draft = await readyDraft('Too late')
  await db.kysely
    .updateTable('stores')
    .set({ subscription_status: 'Cancelled' })
    .where('store_id', '=', store)
    .execute()
  const refusal = (await call('launchDraft', { params: { id: draft } }).catch(
    (error: Refused) => error,
  )) as Refused
  t.match(refusal, { status: 409, problem: { message: /Choose a plan/ } })
  await db.kysely
    .updateTable('stores')
    .set({ subscription_status: 'Active' })
    .where('store_id', '=', store)
    .execute()
  await t.resolves(call('launchDraft', { params: { id: draft } }))
})
