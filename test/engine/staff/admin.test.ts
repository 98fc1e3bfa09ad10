import t from 'tap'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import { startPanel } from '../support/staff-panel.ts'

const { own, staff, merchant, refusal, signedIn, day, asked, close } = await startPanel()
t.teardown(close)
const { db, now, shop, shopOrigin, engine } = own
const { id: storeId } = await merchant('storeInfo', {})
const acts = async (about: string) =>
  await db.kysely
    .selectFrom('staff_acts')
    .select(['act', 'detail', 'user_id'])
    .where('about', '=', about)
    .orderBy('seq')
    .execute()
const nobody = '00000000-0000-4000-8000-000000000000'

t.test('flags are switched for one store, shown in its info and recorded', async t => {
  const other = await seedStore(db, {
    shop: 'other.demo-shop.test',
    domain: 'other.demo-shop.test',
    name: 'Another <b>',
    feature_flags: '["LiftAssists"]',
  })
  const found = await staff('adminFeatures', { query: { search: 'ANOTHER' } })
  t.match(found, {
    count: 1,
    stores: [{ id: other, name: 'Another <b>', plan: 'Advanced 100k', flags: ['LiftAssists'] }],
  })
  t.same(
    (await staff('adminFeatures', { query: { sort: 'flags', descending: true, perPage: 1 } }))
      .count,
    2,
  )
  const before = (await merchant('storeInfo', {})).features
  const changed = await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: ['ApiTesting', 'LiftAssists'], off: ['PriceTesting'] },
  })
  t.same(
    new Set(changed.flags),
    new Set([...before.filter(flag => flag !== 'PriceTesting'), 'ApiTesting', 'LiftAssists']),
  )
  t.ok((await merchant('storeInfo', {})).features.includes('ApiTesting'))
  t.match(await acts(storeId), [
    {
      act: 'Switched feature flags',
      detail: /On: Lift Assist, API testing\. Off: Price testing\./,
      user_id: signedIn.id,
    },
  ])
  await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: ['ApiTesting'], off: ['PriceTesting'] },
  })
  t.equal((await acts(storeId)).length, 1, 'a switch that changes nothing is not recorded')
  t.match(
    await refusal(
      staff('switchFeatures', {
        params: { id: storeId },
        body: { on: ['ApiTesting'], off: ['ApiTesting'] },
      }),
    ),
    { status: 400, problem: { fields: [{ field: 'off' }] } },
  )
  for (const [id, status] of [
    [nobody, 404],
    ['x', 404],
    ['a\u0000b', 400],
  ] as const)
    t.equal(
      (await refusal(staff('switchFeatures', { params: { id }, body: { on: [], off: [] } })))
        .status,
      status,
    )
  t.equal((await refusal(staff('adminStoreFeatures', { params: { id: nobody } }))).status, 404)
})

t.test('InstallScript, switched on, puts the script on a shop that has lost it', async t => {
  const finding = async () => (await staff('checkScript', { params: { id: storeId } })).finding
  const wanted = async () =>
    (
      await db.kysely
        .selectFrom('published_scripts')
        .select('wanted')
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    ).wanted
  await own.platform.removeScript(firstShop)
  t.equal(await finding(), 'missing')
  await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: ['InstallScript'], off: [] },
  })
  await asked(async () => (await finding()) === 'answers')
  const before = await wanted()
  await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: [], off: ['InstallScript'] },
  })
  t.equal(await wanted(), before, 'switching it off does nothing')
})

t.test('a flag of the script publishes the script again', async t => {
  const published = () =>
    db.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published', 'url'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  const { wanted, url } = await published()
  await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: ['DebugScriptLogging', 'DisableReferrerOverride'], off: [] },
  })
  await asked(async () => (await published()).published > wanted)
  const { body } = await shop.app.inject(url!.slice(shopOrigin.length))
  t.match(body, /debug:true,keepsReferrer:true/)
  t.same(
    await staff('checkScript', { params: { id: storeId } }).then(({ finding }) => finding),
    'answers',
  )
  await staff('switchFeatures', {
    params: { id: storeId },
    body: { on: ['VisitorReporting'], off: [] },
  })
  t.equal((await published()).wanted, wanted + 1, 'a flag of a feature does not')
  await db.kysely
    .updateTable('published_scripts')
    .set({ etag: 'another' })
    .where('store_id', '=', storeId)
    .execute()
  t.equal((await staff('checkScript', { params: { id: storeId } })).finding, 'differs')
  await db.kysely
    .updateTable('published_scripts')
    .set({ url: `${shopOrigin}/assets/not-there.js` })
    .where('store_id', '=', storeId)
    .execute()
  t.equal((await staff('checkScript', { params: { id: storeId } })).finding, 'missing')
  t.match(
    (await staff('adminStoreHealth', { query: { view: 'troubled' } })).stores.find(
      store => store.id === storeId,
    ),
    { script: { check: { finding: 'missing' } }, troubles: ['scriptAmiss'] },
  )
  await db.kysely
    .updateTable('published_scripts')
    .set({ url, etag: null })
    .where('store_id', '=', storeId)
    .execute()
})

t.test('a trial is extended at the platform, once for each request', async t => {
  // The demo shop is set up from the start. This test resets it to a new store.
  await db.kysely
    .updateTable('stores')
    .set({
      has_subscribed: false,
      plan_id: null,
      subscription_status: null,
      current_subscription_end: null,
      next_bill: null,
      usage_reset: null,
    })
    .where('store_id', '=', storeId)
    .execute()
  t.match(
    await refusal(
      staff('extendTrial', {
        params: { id: storeId },
        body: { days: 7, trialEnd: new Date().toISOString() },
      }),
    ),
    { status: 409, message: /not on trial/ },
  )
  t.match(await staff('adminTrial', { params: { id: storeId } }), {
    trialEnd: null,
    isOnTrial: false,
    extensions: [],
  })
  const { confirmationUrl } = await merchant('subscribe', {
    params: { id: 'core-50k-monthly' },
    query: {},
  })
  await shop.app.inject({
    method: 'POST',
    url: `${confirmationUrl.slice(shopOrigin.length)}/approve`,
  })
  await shop.delivered()
  const trials = await staff('adminTrials', { query: {} })
  t.match(trials, {
    count: 1,
    all: 1,
    endThisWeek: 0,
    stores: [{ id: storeId, daysLeft: 14, plan: 'Core 50k', visitors: 0, visitorLimit: 50_000 }],
  })
  t.match(trials.stores[0], { script: /installed|waiting|missing/, lastEventDay: null })
  const narrowed = async (query: object) => (await staff('adminTrials', { query })).count
  t.same(
    [
      await narrowed({ level: 'Core' }),
      await narrowed({ level: 'Pro' }),
      await narrowed({ endsWithin: 3 }),
    ],
    [1, 0, 0],
  )
  const { days } = await staff('adminTrends', {})
  t.match(days.at(-1), { onTrial: 1, paying: 0, running: 0 })
  const before = trials.stores[0]!.trialEnd
  const extend = (days: number, trialEnd = before) =>
    staff('extendTrial', { params: { id: storeId }, body: { days, trialEnd } })
  for (const days of [0, 1001, 1.5, -1])
    t.match(await refusal(extend(days)), { status: 400, problem: { fields: [{ field: 'days' }] } })
  const [first, second] = await Promise.allSettled([extend(10), extend(10)])
  t.same(
    [first.status, second.status].sort(),
    ['fulfilled', 'rejected'],
    'two equal requests at once extend it once',
  )
  const after = await staff('adminTrial', { params: { id: storeId } })
  t.equal(Date.parse(after.trialEnd!) - Date.parse(before), 10 * day)
  t.match(await refusal(extend(10)), {
    status: 409,
    message: /end has changed meanwhile/,
    problem: { fields: [{ field: 'days' }] },
  })
  t.equal((await merchant('storeStatus', {})).trialEnd, after.trialEnd)
  t.match(after.extensions, [{ days: 10, from: before, by: signedIn.name }])
  t.match((await acts(storeId)).at(-1), { act: 'Extended a trial', detail: /by 10 days/ })
  await shop.app.close()
  t.equal((await refusal(extend(3, after.trialEnd!))).status, 502, 'the shop cannot be reached')
  t.equal(
    (await staff('adminTrial', { params: { id: storeId } })).extensions.length,
    1,
    'a failed extension is not listed, and can be tried again',
  )
  t.equal((await db.kysely.selectFrom('trial_extensions').selectAll().execute()).length, 1)
  now.at = new Date(now.at.getTime() + 25 * day)
  t.equal((await staff('adminTrials', { query: {} })).count, 0)
  t.equal((await refusal(staff('adminTrial', { params: { id: nobody } }))).status, 404)
})

t.test('the health of tests and stores is computed from stored data', async t => {
  const at = now.at.getTime()
  const shopOf = (name: string) => ({
    shop: `${name}.demo-shop.test`,
    domain: `${name}.demo-shop.test`,
    name,
    time_zone: 'UTC',
    created_at: new Date(at - 40 * day),
    installed_at: new Date(at - 40 * day),
    usage_reset: new Date(at + 5 * day),
  })
  const busy = await seedStore(db, {
      ...shopOf('busy'),
      plan_id: 'core-50k-monthly',
      feature_flags: '["DomTesting"]',
    }),
    frozen = await seedStore(db, { ...shopOf('frozen'), subscription_status: 'Frozen' }),
    gone = await seedStore(db, { ...shopOf('gone'), status: 'uninstalled' })
  const start = new Date(at - 5 * day),
    today = now.at.toISOString().slice(0, 10)
  const quiet = await seedTest(db, busy, { title: 'Quiet', start_at: start }),
    held = await seedTest(db, busy, {
      title: 'Held',
      start_at: start,
      status: 'OnHold',
      hold_cause: JSON.stringify({ cause: 'pageGone', message: 'A page is gone.', remedy: '' }),
    })
  const fine = await seedTest(db, busy, { title: 'Fine', start_at: start })
  const shut = await seedTest(db, busy, {
    title: 'Shut',
    kind: 'Price',
    start_at: new Date(at - day / 2),
  })
  await seedTest(db, frozen, { title: 'Ended', start_at: start, ended_at: new Date(at - day) })
  await db.kysely
    .insertInto('test_days' as never)
    .values({
      store_id: busy,
      test_id: fine,
      day: today,
      arm: 0,
      dimension: 'all',
      value: '',
      visitors: 3,
      clickers: 0,
      adders: 0,
    } as never)
    .execute()
  await db.kysely
    .insertInto('published_scripts')
    .values({
      store_id: busy,
      wanted: 1,
      published: 1,
      next_attempt_at: now.at,
      published_at: new Date(at - day),
      url: `${shopOrigin}/x.js`,
    } as never)
    .execute()
  const { cyclePeriod } = await import('../../../engine/events/fold/periods.ts')
  await db.kysely
    .insertInto('store_periods')
    .values([
      { store_id: busy, period: cyclePeriod(at + 5 * day, at), visitors: 50_000 },
      { store_id: gone, period: `day:${today}`, visitors: 40 },
    ])
    .execute()

  const health = await staff('adminTestHealth', { query: { search: 'busy' } })
  t.same(
    health.tests.map(({ id, troubles }) => [id, troubles.map(({ trouble }) => trouble)]),
    [
      [held, ['onHold']],
      [quiet, ['noVisitors']],
      [shut, ['closed']],
    ],
  )
  t.match(health, {
    looked: 4,
    troubled: 3,
    troubles: { onHold: 1, noVisitors: 1, splitBroken: 0, closed: 1 },
  })
  t.same(
    (await staff('adminTestHealth', { query: { trouble: 'onHold' } })).tests.map(
      ({ title }) => title,
    ),
    ['Held'],
  )
  const all = await staff('adminTests', {
    query: { status: 'Active', search: 'busy', sort: 'title' },
  })
  t.same(
    all.tests.map(({ title }) => title),
    ['Fine', 'Quiet', 'Shut'],
  )
  t.match(all, { count: 3, counts: { Active: 3, OnHold: 1, Ended: 1 } })
  t.equal(
    (await staff('adminTests', { query: { page: 7 } })).count,
    5,
    'a page after the last one still has the count',
  )

  const stores = await staff('adminStoreHealth', { query: { perPage: 100 } })
  const of = (id: string) => stores.stores.find(store => store.id === id)!
  t.same(of(busy).troubles, ['noEvents', 'overLimit'])
  t.match(of(busy), {
    visitors: 50_000,
    visitorLimit: 50_000,
    runningTests: 3,
    script: { state: 'published', check: null },
    lastEventDay: null,
    lastSignInAt: null,
  })
  t.same(of(frozen).troubles, ['noScript', 'subscription'])
  t.same(of(gone).troubles, [], 'an uninstalled store has no troubles')
  t.type(of(storeId).lastSignInAt, 'string')
  t.equal((await refusal(staff('checkScript', { params: { id: gone } }))).status, 409)
  t.equal((await refusal(staff('checkScript', { params: { id: frozen } }))).status, 409)

  const stats = await staff('adminAppStats', {})
  t.match(stats.stores, { installed: 4, uninstalled: 1, onTrial: 0, levels: { Advanced: 1 } })
  t.equal(
    stats.stores.withoutPlan + Object.values(stats.stores.levels).reduce((sum, n) => sum + n, 0),
    4,
  )
  t.match(
    stats.tests.find(({ kind }) => kind === 'PageElement'),
    { all: 4, counts: { Active: 2, OnHold: 1, Ended: 1 } },
  )
  t.equal(stats.days.length, 30)
  t.match(stats.days[0], { day: today, visitors: 40, events: 0 })
})

t.test('the API reports its own health', async t => {
  await db.kysely
    .insertInto('jobs')
    .values({
      store_id: storeId,
      job_id: nobody,
      kind: 'testCheck',
      key: null,
      payload: '{}',
      state: '{}',
      status: 'errored',
      message: 'The shop is closed.',
      run_at: now.at,
      created_at: now.at,
      updated_at: now.at,
    })
    .execute()
  const health = await staff('adminApiHealth', {})
  t.match(health, {
    database: { isMigrated: true, kind: /pglite|postgres/ },
    jobs: { errored: 1, newestError: { kind: 'testCheck', message: 'The shop is closed.' } },
    hubConnections: 0,
  })
  t.ok(health.database.bytes > 1e6 && health.database.migrations >= 12)
  t.equal(engine.app.hasRoute({ method: 'GET', url: '/api/v0/admin/health/api' }), true)
})
