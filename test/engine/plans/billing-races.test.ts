import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { seedTest } from '../support/seeds.ts'
import { holdRequests } from '../support/shops/held-requests.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import { webhook } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

// The shop's own deliveries lead nowhere: the tests choose when the engine hears of a change.
const { engine, shop, db, now, call, platform, close } = await startWithShop(
  {},
  {},
  { engineOrigin: 'http://localhost:1', webhookWait: 86_400_000 },
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const [subscription] = await platform.subscriptions(firstShop)

const change = async (choice: 'freeze' | 'unfreeze') => {
  const url = `/admin/billing/${subscription!.id}/${choice}`
  t.equal((await shop.app.inject({ method: 'POST', url })).statusCode, 303)
}
/** Tells the engine that a subscription has changed. It asks the shop which state it has now. */
const deliver = async () => {
  const { id, planId, createdAt } = subscription!
  const body = {
    app_subscription: {
      id,
      plan_id: planId,
      status: 'ACTIVE',
      created_at: createdAt,
      trial_ends_at: null,
      current_period_ends_at: now.at,
    },
  }
  const request = webhook(
    JSON.stringify(body),
    {
      'x-demo-topic': 'app_subscriptions/update',
      'x-demo-shop': firstShop,
      'x-demo-delivery-id': randomUUID(),
      'x-demo-triggered-at': now.at.toISOString(),
    },
    appSecret,
  )
  const url = '/webhooks/demo/app_subscriptions-update'
  const { statusCode } = await engine.app.inject({ method: 'POST', url, ...request })
  t.equal(statusCode, 200)
}
const statuses = (ids: string[]) =>
  Promise.all(ids.map(async id => (await call('test', { params: { id } })).status))

t.test('a subscription that lapses while its tests are resumed leaves them suspended', async t => {
  const target = (suffix: string) =>
    JSON.stringify({
      templateType: 'product',
      suffix,
      themeId: null,
      url: null,
      isOurs: false,
      hash: null,
    })
  const running = await seedTest(db, storeId, {
    kind: 'Template',
    start_at: now.at,
    control_target: target(''),
    variant_target: target('story'),
  })
  const paused = await seedTest(db, storeId, { start_at: now.at })
  await call('updateTest', { params: { id: paused }, body: { status: 'Paused' } })
  await change('freeze')
  await deliver()
  t.same(await statuses([running, paused]), ['Suspended', 'Suspended'])

  await change('unfreeze')
  const asked = Promise.withResolvers<void>()
  const release = holdRequests(shop.app, ({ url }) => {
    if (!url!.startsWith('/admin/api/themes')) return false
    asked.resolve()
    return true
  })
  const resuming = deliver()
  // It has stored that the subscription is active, and asks the shop about the test that ran.
  await asked.promise
  await change('freeze')
  await deliver()
  release()
  await resuming
  t.same(await statuses([running, paused]), ['Suspended', 'Suspended'])

  await change('unfreeze')
  await deliver()
  t.same(await statuses([running, paused]), ['Active', 'Paused'])
})

// PGlite has one connection: nobody else can hold a test.
const onPostgres = { skip: Boolean(db.pglite) && 'for Postgres, where two may read at once' }
t.test(
  'a subscription that is active again while its tests are suspended resumes them',
  onPostgres,
  async t => {
    const running = await seedTest(db, storeId, { start_at: now.at })
    const waiting = async () =>
      (
        await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db.kysely,
        )
      ).rows.length
    let suspending: Promise<void> | undefined, resuming: Promise<void> | undefined
    await db.kysely.transaction().execute(async trx => {
      await sql`select 1 from tests where test_id = ${running} for update`.execute(trx)
      await change('freeze')
      suspending = deliver()
      // It has stored that the subscription is frozen, and waits for the test.
      while ((await waiting()) < 1);
      await change('unfreeze')
      const second = { hasEnded: false }
      resuming = deliver().finally(() => {
        second.hasEnded = true
      })
      while (!second.hasEnded && (await waiting()) < 2);
    })
    await Promise.all([suspending, resuming])
    t.same(await statuses([running]), ['Active'])
  },
)
