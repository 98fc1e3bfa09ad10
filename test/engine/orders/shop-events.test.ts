import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { richest } from '../../../domain/platform/capabilities.ts'
import { type ShopEvent, shopEvents } from '../../../domain/platform/shop-event.ts'
import { topics } from '../../../demo-shop/apps/topics.ts'
import { accessToken } from '../../../demo-shop/shoppers/shop-files.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { demoTopics } from '../../../engine/platform/demo/demo-topics.ts'
import { launchedFrom } from '../support/launched.ts'
import { poorDelivery, poorPlatform, poorToken } from '../support/poor-platform.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { order, webhook } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

t.test('every event has a topic of the shop, and the shop sends every topic', async t => {
  t.same(Object.keys(demoTopics).sort(), [...topics].sort())
  t.same(Object.values(demoTopics).sort(), [...shopEvents].sort())
})

/** The shop's own deliveries go nowhere, so the test alone decides what arrives and when. */
const { call, db, now, engine, shop, shopOrigin, platform, merchant, close } = await startWithShop(
  {
    morePlatforms: ({ DEMO_SHOP_ORIGIN: shopOrigin }) => [
      poorPlatform(demoPlatform({ appKey, appSecret, shopOrigin })),
    ],
  },
  {},
  { engineOrigin: 'http://localhost:1', webhookWait: 3_600_000, ...withTestPrices },
)
t.teardown(close)
await call('auth', { body: { idToken: await poorToken() } })
const { id: store } = await call('storeInfo', {})
const {
  items: [product, second],
} = await call('searchProducts', { params: { id: store }, query: { query: '', pageSize: 2 } })
for (const { id } of [product!, second!]) {
  const draft = await call('createDraft', { body: { kind: 'Price', title: `Dearer ${id}` } })
  await call('createTestProduct', {
    body: { testDraftId: draft.id, productId: id, rule: { kind: 'percent', value: 10 } },
  })
  await launchedFrom(db, store, draft.id, { start_at: new Date(now.at.getTime() - 3_600_000) })
}

/** What the engine knows of the shop once its jobs are done, and which jobs those were. */
async function known() {
  await engine.runJobs()
  const read = async (columns: string, table: string, order = '1', group = '') =>
    (
      await sql
        .raw(
          `select ${columns} from ${table} where store_id = '${store}' ${group} order by ${order}`,
        )
        .execute(db.kysely)
    ).rows
  const jobs = await read('kind, count(*)::int as count', 'jobs', '1', 'group by kind')
  const facts = {
    stores: await read('status, shop_name, theme_id, subscription_status, erased_at', 'stores'),
    orders: await read('order_id, amount, refunded', 'orders'),
    products: await read('product_id, errors, variants', 'test_products'),
    capabilities: await read('capabilities', 'reconciliations'),
    uninstalls: await read('requested_at', 'uninstalls'),
  }
  return { ...facts, jobs, facts }
}

const isOrder = (event: ShopEvent) => event.startsWith('orders')
let sent = 0
const minute = 60_000
const at = (minutes: number) => new Date(now.at.getTime() + minutes * minute).toISOString()
const topicOf = (event: ShopEvent) =>
  Object.entries(demoTopics).find(([, name]) => name === event)![0]
const addressOf = (topic: string) => topic.replace('/', '-')
/** Posts a delivery of the event; returns the status. */
async function tell(
  event: ShopEvent,
  body: object,
  {
    id = `d-${++sent}`,
    minutes = 0,
    about = firstShop,
    secret = appSecret,
    to = 'demo',
  }: { id?: string; minutes?: number; about?: string; secret?: string; to?: string } = {},
): Promise<number> {
  const topic = topicOf(event)
  const request = webhook(
    JSON.stringify(body),
    {
      'x-demo-topic': topic,
      'x-demo-shop': about,
      'x-demo-delivery-id': id,
      'x-demo-triggered-at': at(minutes),
    },
    secret,
  )
  return post(to, topic, request)
}
const post = async (to: string, topic: string, request: ReturnType<typeof webhook>) =>
  (
    await engine.app.inject({
      method: 'POST',
      url: `/webhooks/${to}/${addressOf(topic)}`,
      ...request,
    })
  ).statusCode
const inAdmin = (url: string, fields: Record<string, string> = {}) =>
  shop.app.inject({
    method: 'POST',
    url: `/admin/${url}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

const sold = (over: object = {}) => ({
  ...order('e-1', 'visitor-one', now.at.getTime() - 10 * minute, '50.00'),
  ...over,
})
const theSubscription = async () => (await platform.subscriptions(firstShop))[0]!
type Case = {
  /** What happens in the shop. */
  happens?: () => Promise<unknown>
  /** What the delivery says; a late one may say `stale`. */
  says: () => object
  stale?: () => object
  /** The part of `known` that shows that the engine has understood. */
  shown: Exclude<keyof Awaited<ReturnType<typeof known>>, 'facts'>
}
const cases: Record<Exclude<ShopEvent, 'appUninstalled' | 'shopRedact'>, Case> = {
  ordersCreated: { says: sold, stale: () => sold({ subtotal_price: '1.00' }), shown: 'orders' },
  ordersUpdated: { says: () => sold({ subtotal_price: '45.00' }), stale: sold, shown: 'orders' },
  ordersRefunded: {
    says: () => sold({ subtotal_price: '45.00', refunded: '5.00' }),
    stale: sold,
    shown: 'orders',
  },
  ordersCancelled: {
    says: () => sold({ subtotal_price: '45.00', refunded: '5.00', cancelled_at: at(0) }),
    stale: sold,
    shown: 'orders',
  },
  productsUpdated: {
    happens: () =>
      platform.setPrices(firstShop, product!.id, [
        { variantId: product!.variants[0]!.id, price: product!.variants[0]!.price + 100 },
      ]),
    says: () => ({ id: product!.id }),
    shown: 'products',
  },
  productsDeleted: {
    happens: () => inAdmin(`products/${second!.id}/delete`),
    says: () => ({ id: second!.id }),
    shown: 'products',
  },
  themesCreated: { says: () => ({ id: 'new' }), shown: 'jobs' },
  themesPublished: {
    happens: () => merchant.publishTheme(firstShop, '160002'),
    says: () => ({ id: '160002' }),
    stale: () => ({ id: '160001' }),
    shown: 'stores',
  },
  themesUpdated: { says: () => ({ id: '160001' }), shown: 'jobs' },
  themesDeleted: { says: () => ({ id: 'old' }), shown: 'jobs' },
  shopUpdated: {
    happens: () => inAdmin('settings', { name: 'Fern', email: 'new@fern.example' }),
    says: () => ({ name: 'Fern' }),
    stale: () => ({ name: 'Older' }),
    shown: 'stores',
  },
  scopesChanged: {
    happens: async () => shop.capabilities.set({ redirects: 'none' }),
    says: () => ({}),
    stale: () => richest,
    shown: 'capabilities',
  },
  experimentChanged: { says: () => ({ id: 'native' }), shown: 'jobs' },
  subscriptionChanged: {
    happens: async () => inAdmin(`billing/${(await theSubscription()).id}/freeze`),
    says: () => ({ app_subscription: subscription }),
    shown: 'stores',
  },
  customerDataRequest: { says: () => ({ orders_requested: ['e-1'] }), shown: 'jobs' },
  customerRedact: { says: () => ({ orders_to_redact: ['e-1'] }), shown: 'jobs' },
}
const subscription: object = (
  await shop.app.inject({
    url: '/admin/api/app_subscriptions.json',
    headers: { authorization: `Bearer ${await accessToken(shopOrigin, { appKey, appSecret })}` },
  })
).json<object[]>()[0]!
const events = Object.entries(cases) as [ShopEvent, Case][]

/** Nothing of this comes from the shop: neither the signature, nor the platform, nor the shop. */
async function refuses(t: Test, event: ShopEvent, body: object) {
  const before = await known(),
    topic = topicOf(event)
  t.equal(await tell(event, body, { secret: 'another' }), 401, 'a wrong signature')
  t.equal(await tell(event, body, { to: 'poor' }), 401, 'signed by another platform')
  const ofPoor = poorDelivery({ ...body, topic, shop: firstShop, id: 'p', at: at(0) })
  t.equal(await post('poor', topic, ofPoor), 401, 'another platform about this shop')
  // A platform sends deliveries as soon as the app is installed, before anybody has opened it.
  t.equal(await tell(event, body, { about: 'nobody.demo-shop.test' }), 200, 'an unknown shop')
  t.same(await known(), before, 'nothing has changed')
}

for (const [place, [event, { happens, says, stale = says, shown }]] of events.entries())
  t.test(`${event}: understood once, however it arrives`, async t => {
    await refuses(t, event, says())
    await happens?.()
    const before = await known()
    t.equal(await tell(event, says(), { id: `first ${event}`, minutes: place }), 200)
    const after = await known()
    t.notSame(after[shown], before[shown], `${shown} shows it`)
    t.equal(await tell(event, says(), { id: `first ${event}`, minutes: place }), 200)
    t.same((await known()).facts, after.facts, 'the same delivery again')
    t.equal(await tell(event, stale(), { minutes: -5 }), 200)
    t.same((await known()).facts, after.facts, 'an older delivery that comes late')
  })

t.test(
  'the uninstall is understood once, and a late word of an earlier one not at all',
  async t => {
    await engine.runJobs()
    const body = { shop: firstShop }
    await refuses(t, 'appUninstalled', body)
    const installed = await known()
    t.equal(await tell('appUninstalled', body, { minutes: -24 * 60 }), 200)
    t.same(await known(), installed, 'a delivery from before the installation')
    t.equal(await tell('shopRedact', body), 200)
    t.same((await known()).stores, installed.stores, 'an installed shop is not erased')
    await inAdmin('apps/twinshelf/uninstall')
    t.equal(await tell('appUninstalled', body, { id: 'left', minutes: 1 }), 200)
    const left = await known()
    t.match(left, { stores: [{ status: 'uninstalled' }], uninstalls: { length: 1 } })
    t.equal(await tell('appUninstalled', body, { id: 'left', minutes: 1 }), 200)
    t.equal(await tell('appUninstalled', body, { minutes: 2 }), 200)
    t.same((await known()).facts, left.facts, 'the same, and once more')
  },
)

t.test('after the uninstall no event changes anything, except what a customer asks', async t => {
  // The collector's and the orders' cache of stores is as old as a clock says.
  now.at = new Date(now.at.getTime() + minute)
  for (const [event, { says }] of events) {
    const before = await known()
    t.equal(
      await tell(event, { ...says(), ...(isOrder(event) && { id: 'e-2' }) }, { minutes: 60 }),
      200,
      event,
    )
    const asks = event.startsWith('customer')
    t[asks ? 'notSame' : 'same']((await known()).jobs, before.jobs, `${event}: jobs`)
    t.same((await known()).facts, before.facts, event)
  }
})

t.test('the shop is erased when the platform asks, once after each uninstall', async t => {
  const body = { shop: firstShop },
    erasures = async () =>
      (await db.kysely.selectFrom('erasures').select('kind').where('kind', '=', 'store').execute())
        .length
  await refuses(t, 'shopRedact', body)
  for (const id of ['redact', 'redact', 'redact again']) {
    t.equal(await tell('shopRedact', body, { id, minutes: 90 }), 200)
    await engine.runJobs()
    t.equal(await erasures(), 1, id)
  }
  const { stores } = await known()
  t.match(stores, [{ status: 'uninstalled', erased_at: now.at }])
})
