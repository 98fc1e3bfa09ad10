import { createHmac } from 'node:crypto'
import t from 'tap'
import { ownAppConfig, readAppConfig } from '../../../demo-shop/shopify-web/app-config.ts'
import { retries } from '../../../demo-shop/shopify-web/webhook-outbox.ts'
import { maxFailures } from '../../../demo-shop/shopify-web/webhook-subscriptions.ts'
import { sentTopics } from '../../../demo-shop/shopify-web/webhook-topics.ts'
import { address, shopperOf } from '../support/demo-shop.ts'
import { apiSecret, openWeb, receiver, type Delivery } from './support.ts'

const bodyOf = ({ body }: Delivery) => JSON.parse(body) as Record<string, unknown>
const topicsOf = (deliveries: Delivery[]) =>
  deliveries.map(({ headers }) => headers['x-shopify-topic'])
const idOf = ({ headers }: Delivery) => headers['x-shopify-webhook-id']

async function buy(shop: Awaited<ReturnType<typeof openWeb>>) {
  const shopper = shopperOf(shop)
  await shopper.json('/cart/add.js', { id: 30100, quantity: 2, attributes: { _ts_visitor: 'v-1' } })
  return (await shopper.json('/checkout', address)).json<{ id: string; name: string }>()
}

t.test('an order is told once, signed over its raw body, in the platform’s words', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openWeb(t, {
    engineOrigin: app.origin,
    clock: () => new Date('2026-11-20T15:00:00Z'),
  })
  const { name } = await buy(shop)
  await shop.delivered()
  t.equal(app.deliveries.length, 1, 'and nothing to the demo shop’s own app')
  const [delivery] = app.deliveries as [Delivery]
  t.equal(delivery.url, '/webhooks/shopify/orders-create')
  t.match(delivery.headers, {
    'content-type': 'application/json',
    'x-shopify-topic': 'orders/create',
    'x-shopify-shop-domain': 'fern-and-kiln.myshopify.com',
    'x-shopify-webhook-id': /^[0-9a-f-]{36}$/,
    'x-shopify-event-id': /^[0-9a-f-]{36}$/,
    'x-shopify-triggered-at': '2026-11-20T15:00:00.000Z',
    'x-shopify-api-version': '2026-10',
    'x-shopify-hmac-sha256': createHmac('sha256', apiSecret).update(delivery.body).digest('base64'),
  })
  const number = Number(name.slice(1))
  t.match(bodyOf(delivery), {
    id: number,
    admin_graphql_api_id: `gid://shopify/Order/${number}`,
    name,
    currency: 'USD',
    note_attributes: [{ name: '_ts_visitor', value: 'v-1' }],
    line_items: [{ variant_id: 30100, quantity: 2 }],
  })
})

t.test('a refund has a topic of its own, and the order’s update another', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openWeb(t, { engineOrigin: app.origin })
  const { id, name } = await buy(shop)
  await shop.app.inject({
    method: 'POST',
    url: `/admin/orders/${name.slice(1)}/refund`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'amount=5&already=0',
  })
  await shop.delivered()
  t.ok(id)
  const told = app.deliveries.filter(each => each.headers['x-shopify-topic'] !== 'orders/create')
  t.same(topicsOf(told).sort(), ['orders/updated', 'refunds/create'])
  for (const each of told)
    t.equal(bodyOf(each)[each.url.includes('refunds') ? 'order_id' : 'id'], Number(name.slice(1)))
})

t.test('subscriptions of the configuration and of calls both get it, each its own', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openWeb(t, {
    engineOrigin: app.origin,
    shopify: { webhooks: [{ topic: 'orders/create', uri: '/declared' }] },
  })
  const { subscriptions } = shop.web
  subscriptions.create({ topic: 'orders/create', uri: `${app.origin}/made`, includeFields: ['id'] })
  subscriptions.create({ topic: 'products/update', uri: `${app.origin}/made` })
  t.throws(() => subscriptions.create({ topic: 'orders/create', uri: `${app.origin}/made` }), {
    message: 'Address for this topic has already been taken',
  })
  t.throws(() => subscriptions.create({ topic: 'orders/nothing', uri: '/made' }), {
    message: 'Invalid topic specified',
  })
  await buy(shop)
  await shop.delivered()
  t.same(app.deliveries.map(({ url }) => url).sort(), ['/declared', '/made'])
  const [one, other] = app.deliveries as [Delivery, Delivery]
  t.not(idOf(one), idOf(other))
  t.equal(one.headers['x-shopify-event-id'], other.headers['x-shopify-event-id'])
  const made = app.deliveries.find(({ url }) => url === '/made')!
  t.same(Object.keys(bodyOf(made)), ['id'])
})

t.test('a delivery is tried nine times with one body, then dropped', async t => {
  const app = await receiver(t, () => 500)
  const shop = await openWeb(t, {
    engineOrigin: app.origin,
    shopify: { webhookWait: 1, webhooks: [{ topic: 'orders/create', uri: '/declared' }] },
  })
  await buy(shop)
  await shop.delivered()
  t.equal(app.deliveries.length, 1 + retries)
  t.equal(new Set(app.deliveries.map(({ body }) => body)).size, 1)
  t.equal(new Set(app.deliveries.map(idOf)).size, 1)
  t.equal(shop.web.deliveries.waiting(), 0)
})

t.test('a call’s subscription that fails eight times in a row is deleted', async t => {
  let isBroken = true
  const app = await receiver(t, () => (isBroken ? 503 : 200))
  const shop = await openWeb(t, {
    engineOrigin: app.origin,
    shopify: { webhookWait: 1, webhooks: [] },
  })
  const { subscriptions } = shop.web
  subscriptions.create({ topic: 'orders/create', uri: `${app.origin}/made` })
  await buy(shop)
  await app.count(3)
  t.equal(subscriptions.made().length, 1)
  isBroken = false
  await shop.delivered()
  t.equal(subscriptions.made().length, 1, 'a success counts again from nothing')
  isBroken = true
  await buy(shop)
  await shop.delivered()
  t.ok(app.deliveries.length >= 4 + maxFailures)
  t.same(subscriptions.made(), [])
})

t.test('deliveries come twice and in the wrong order when that is switched on', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openWeb(t, {
    engineOrigin: app.origin,
    shopify: {
      webhooks: ['orders/create', 'orders/cancelled'].map(topic => ({ topic, uri: '/told' })),
    },
  })
  const { deliveries } = shop.web
  deliveries.setFaults({ isHeld: true, copies: 2 })
  const { name } = await buy(shop)
  await shop.app.inject({ method: 'POST', url: `/admin/orders/${name.slice(1)}/cancel` })
  t.equal(deliveries.waiting(), 2)
  t.equal(app.deliveries.length, 0)
  deliveries.setFaults({ isHeld: false })
  await shop.delivered()
  t.same(topicsOf(app.deliveries), [
    'orders/cancelled',
    'orders/cancelled',
    'orders/create',
    'orders/create',
  ])
  t.equal(new Set(app.deliveries.map(idOf)).size, 2)
})

t.test('the words about people and the shop name the platform’s numbers', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openWeb(t, { engineOrigin: app.origin })
  const { name } = await buy(shop)
  await shop.app.inject({
    method: 'POST',
    url: `/admin/orders/${name.slice(1)}/customer`,
    payload: { ask: 'erase' },
  })
  shop.web.scopes.withhold(['write_pixels'])
  for (const act of ['uninstall', 'redact', 'redact'])
    await shop.app.inject({
      method: 'POST',
      url: `/admin/store/fern-and-kiln/settings/apps/${act}`,
    })
  await buy(shop)
  await shop.delivered()
  const told = new Map(app.deliveries.map(each => [each.headers['x-shopify-topic'], each]))
  t.match(bodyOf(told.get('customers/redact')!), {
    customer: { email: address.email },
    orders_to_redact: [Number(name.slice(1))],
  })
  t.match(bodyOf(told.get('app/uninstalled')!), { myshopify_domain: 'fern-and-kiln.myshopify.com' })
  t.equal(
    app.deliveries.filter(each => each.headers['x-shopify-topic'] === 'shop/redact').length,
    1,
  )
  t.equal(
    app.deliveries.filter(each => each.headers['x-shopify-topic'] === 'orders/create').length,
    1,
    'nothing more after the uninstall',
  )
  const { previous, current } = bodyOf(told.get('app/scopes_update')!) as Record<string, string[]>
  t.same(
    previous!.filter(scope => !current!.includes(scope)),
    ['write_pixels'],
  )
  t.match(bodyOf(told.get('shop/redact')!), { shop_domain: 'fern-and-kiln.myshopify.com' })
})

t.test('the app’s configuration file declares topics and optional scopes', async t => {
  const toml = `name = "App"
[access_scopes]
scopes = "read_products"
optional_scopes = [ "read_rollouts" ]

[webhooks]
api_version = "2026-10"

  # Orders.
  [[webhooks.subscriptions]]
  topics = [
    "orders/create",
    "orders/updated",
  ]
  uri = "/webhooks/orders"

  [[webhooks.subscriptions]]
  compliance_topics = [ "shop/redact" ]
  uri = "https://other.test/redact"
`
  t.same(readAppConfig(toml), {
    webhooks: [
      { topic: 'orders/create', uri: '/webhooks/orders' },
      { topic: 'orders/updated', uri: '/webhooks/orders' },
      { topic: 'shop/redact', uri: 'https://other.test/redact' },
    ],
    optionalScopes: ['read_rollouts'],
  })
  const own = ownAppConfig().webhooks.map(({ topic }) => topic)
  for (const topic of sentTopics) t.ok(own.includes(topic), `our own file declares ${topic}`)
})
