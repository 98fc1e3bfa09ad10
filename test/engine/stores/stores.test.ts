import t from 'tap'
import { sql } from 'kysely'
import { quotas, quotaWords } from '../../../domain/quota.ts'
import type { Problem } from '../../../domain/problem.ts'
import { day } from '../../../domain/time-units.ts'
import type { ShopperEvent } from '../../../domain/events/event.ts'
import { industries } from '../../../domain/stores/store-onboarding.ts'
import { access } from '../../../engine/plans/access.ts'
import { areNone, findDifferences } from '../../../engine/events/rebuild-aside.ts'
import type { Refused } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import {
  beacon,
  collect,
  deliver,
  event,
  noon,
  order,
  visitorIn,
  webhook,
} from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, db, now, call, token, shopOrigin, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const set = (values: object) =>
  db.kysely.updateTable('stores').set(values).where('store_id', '=', storeId).execute()
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Refused) => error,
  )
const get = (url: string) =>
  engine.app.inject({ url, headers: { authorization: `Bearer ${token}` } })

t.test(
  'the store has its shop, its live theme, its merchant and its first subscription',
  async t => {
    const info = await call('storeInfo', {})
    t.match(info, {
      shop: firstShop,
      name: 'Fern & Kiln',
      storeInitials: 'FK',
      currency: 'USD',
      planId: 'advanced-100k-monthly',
      trial: false,
      hasSubscribed: true,
      status: 'installed',
      reinstall: false,
    })
    t.ok(info.themeId && info.email && info.phone)
    t.match(await call('storeStatus', {}), {
      subscriptionStatus: 'Active',
      sessionLimit: 100_000,
      pendingPlan: null,
      trialEnd: null,
    })
    t.ok(
      (await db.kysely.selectFrom('stores').select('subscription_id').executeTakeFirstOrThrow())
        .subscription_id,
      'the platform’s subscription id',
    )
  },
)

t.test('features are the store’s flags, except the hidden ones', async t => {
  await set({
    feature_flags: '["InstallScript","PriceTesting","UseOldInlineScript","Ga4Integration"]',
  })
  t.same((await call('storeInfo', {})).features, ['Ga4Integration', 'PriceTesting'])
})

t.test('a feature that plan and flags do not include is refused with a message', async t => {
  const { can, require } = await access({ db }, storeId)
  t.same([can('PriceTesting'), can('DomTesting'), can('CustomAudiences')], [true, false, true])
  t.throws(() => require('DomTesting'), { status: 403, message: /not enabled for this store/ })
  await set({ subscription_status: 'Frozen' })
  const lapsed = await access({ db }, storeId)
  t.same(
    [lapsed.can('PriceTesting'), lapsed.can('CustomAudiences'), lapsed.can('UrlRedirectTests')],
    [true, false, false],
    'a lapsed plan includes nothing',
  )
  t.throws(() => lapsed.require('CustomAudiences'), {
    status: 403,
    message: 'Custom audiences come with the Advanced plan and above.',
  })
  await set({ subscription_status: 'Active' })
})

t.test('industries, team size, experience and source', async t => {
  t.same(await call('industries', {}), industries)
  await call('setIndustries', { body: { selectedIndustry: 'kitchen', teamSize: '2-5' } })
  await call('setExperience', { body: { testingExperience: 'some', source: 'search' } })
  t.match(await call('storeInfo', {}), {
    industry: 'kitchen',
    teamSize: '2-5',
    testingExperience: 'some',
    source: 'search',
  })
  const unknown = await engine.app.inject({
    method: 'PUT',
    url: '/api/store/industries',
    headers: { authorization: `Bearer ${token}` },
    payload: { selectedIndustry: 'piracy', teamSize: '2-5' },
  })
  t.equal(unknown.statusCode, 400)
  t.match(unknown.json(), { fields: [{ field: 'selectedIndustry' }] })
  t.equal((await call('storeInfo', {})).industry, 'kitchen')
})

t.test('a store can be renamed, but not to an empty name or by another store’s id', async t => {
  t.match(await call('renameStore', { params: { id: storeId }, body: { name: '  Kiln & Co ' } }), {
    name: 'Kiln & Co',
    storeInitials: 'KC',
  })
  t.equal(
    (await refusal(call('renameStore', { params: { id: storeId }, body: { name: '   ' } })))
      ?.status,
    400,
  )
  const other = await seedStore(db, { shop: 'other-shop.demo-shop.test' })
  t.equal(
    (await refusal(call('renameStore', { params: { id: other }, body: { name: 'Mine' } })))?.status,
    404,
  )
})

t.test('a store becomes onboarded only after onboarding was started', async t => {
  await set({ onboarded: false })
  t.equal((await refusal(call('setOnboarded', {})))?.status, 409, 'not before the start')
  await call('startOnboarding', {})
  t.equal((await call('storeInfo', {})).onboarded, false)
  await call('startOnboarding', {})
  await call('setOnboarded', {})
  t.equal((await call('storeInfo', {})).onboarded, true)
  await call('setOnboarded', {})
})

t.test(
  'the form is filled with the platform’s data of the merchant, and the logo is the shop’s',
  async t => {
    t.match(await call('userAutofill', {}), {
      firstName: 'Mara',
      lastName: 'Lindqvist',
      email: /@/,
    })
    const logo = await get('/api/store/logo')
    t.equal(logo.statusCode, 200)
    t.match(logo.headers['content-type'], /^image\/svg\+xml/)
    t.match(logo.body, '<svg')
  },
)

t.test(
  'changes of the shop’s record are copied, except a name that the merchant changed in the app',
  async t => {
    await set({
      email: 'old@shop.example',
      time_zone: 'Europe/Berlin',
      origin: 'http://old.example',
    })
    t.equal(await update(), 200)
    t.match(await call('storeInfo', {}), {
      name: 'Kiln & Co',
      timeZone: 'America/New_York',
      email: /^hello@/,
    })
    t.equal(
      (
        await db.kysely
          .selectFrom('stores')
          .select('origin')
          .where('store_id', '=', storeId)
          .executeTakeFirstOrThrow()
      ).origin,
      shopOrigin,
    )
    await set({ name: 'Old name', shop_name: 'Old name' })
    await update()
    t.equal(
      (await call('storeInfo', {})).name,
      'Fern & Kiln',
      'a name that was not changed in the app follows the shop’s',
    )
    t.equal(await update('nobody.demo-shop.test'), 200, 'acknowledged and forgotten')
  },
)

t.test(
  'after a change of the time zone every day follows the new zone, also for events that come before the next read',
  async t => {
    await set({ time_zone: 'Europe/Berlin' })
    now.at = new Date(noon)
    const testId = await seedTest(db, storeId, { start_at: new Date(noon - 48 * 3_600_000) }),
      visitor = visitorIn(testId, 0, 'anna')
    // 10 November in Berlin, 9 November in New York.
    const at = Date.parse('2026-11-10T03:00:00Z')
    const act = async (...events: ShopperEvent[]) =>
      t.equal(
        (
          await collect(engine.app, beacon(visitor, { [testId]: [0, 7] }, events), {
            origin: shopOrigin,
          })
        ).statusCode,
        204,
      )
    const buy = async (id: string) =>
      t.equal((await deliver(engine.app, order(id, visitor, at + 60_000, '10.00'))).statusCode, 200)
    const days = async () => [
      (
        await sql`select day::text as day, visitors, clickers, sessions from test_days where test_id = ${testId} and dimension = 'all' and (visitors <> 0 or clickers <> 0 or sessions <> 0)`.execute(
          db.kysely,
        )
      ).rows,
      (
        await sql`select order_id, day::text as day from orders where visitor_id = ${visitor} order by 1`.execute(
          db.kysely,
        )
      ).rows,
    ]
    await act(event('exposure', at, [testId]), event('view', at))
    await buy('1')
    t.same(await days(), [
      [{ day: '2026-11-10', visitors: 1, clickers: 0, sessions: 1 }],
      [{ order_id: '1', day: '2026-11-10' }],
    ])
    t.equal(await update(), 200)
    t.same(await days(), [
      [{ day: '2026-11-09', visitors: 1, clickers: 0, sessions: 1 }],
      [{ order_id: '1', day: '2026-11-09' }],
    ])
    await act(event('click', at + 5_000, [testId]))
    await buy('2')
    t.same(await days(), [
      [{ day: '2026-11-09', visitors: 1, clickers: 1, sessions: 1 }],
      [
        { order_id: '1', day: '2026-11-09' },
        { order_id: '2', day: '2026-11-09' },
      ],
    ])
    t.ok(areNone(await findDifferences(db, firstShop)), 'the figures match the events')
    await engine.rollUp()
    t.match(
      (await call('dailyBy', { params: { id: testId, metric: 'Orders' } }))
        .map(({ day, arms }) => [day, arms[0].count])
        .filter(([, count]) => count),
      [['2026-11-09', 2]],
    )
  },
)

t.test('a time zone that changes too often in a day is followed later', async t => {
  // Later than all tests before, whichever date this machine has.
  const after = Math.max(noon, Date.now()) + 60 * day
  now.at = new Date(after)
  const flip = async () => {
    await set({ time_zone: 'Europe/Berlin' })
    return delivered()
  }
  const zone = async () => (await call('storeInfo', {})).timeZone
  for (let n = 0; n < quotas.zoneChanges; n++) t.equal((await flip()).statusCode, 200)
  t.equal(await zone(), 'America/New_York')
  const refused = await flip()
  t.equal(refused.statusCode, 503)
  t.match(refused.json<Problem>(), { message: quotaWords.zoneChanges, error: 503 })
  t.ok(Number(refused.headers['retry-after']) > 0, 'the platform sends it again')
  t.equal(await zone(), 'Europe/Berlin')
  await set({ domain: 'old.example' })
  t.equal(await update(), 503, 'the zone comes later,')
  t.not((await call('storeInfo', {})).domain, 'old.example', 'everything else now')
  await set({ time_zone: 'America/New_York', email: 'old@shop.example' })
  t.equal(await update(), 200, 'other changes are taken')
  t.match(await call('storeInfo', {}), { email: /^hello@/ })
  now.at = new Date(after + day)
  t.equal((await flip()).statusCode, 200)
})

const update = async (shop?: string): Promise<number> => (await delivered(shop)).statusCode
async function delivered(shop = firstShop) {
  const request = webhook('{}', {
    'x-demo-topic': 'shop/update',
    'x-demo-shop': shop,
    'x-demo-triggered-at': now.at.toISOString(),
  })
  return engine.app.inject({ method: 'POST', url: '/webhooks/demo/shop-update', ...request })
}
