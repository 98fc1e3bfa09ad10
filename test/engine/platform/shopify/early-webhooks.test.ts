import { createHmac, randomUUID } from 'node:crypto'
import t from 'tap'
import { shopifyTopics } from '../../../../engine/platform/shopify/webhooks/shopify-topics.ts'
import { address, shopperOf } from '../../../demo-shop/support/demo-shop.ts'
import { countOf } from '../../support/traffic.ts'
import { shopifyShop as shop } from '../../support/shops/shopify-stage.ts'
import { cloneKeys, startOnBoth } from '../../support/shops/both-platforms.ts'

/** A shop whose merchant has installed the app and has not opened it yet. */
const stage = await startOnBoth()
t.teardown(stage.close)
const { db, call, engineOrigin } = stage
const { web } = stage.shop
const storeOf = () =>
  db.kysely.selectFrom('stores').selectAll().where('shop', '=', shop).executeTakeFirst()
/** The merchant gives the shop another address, which the shop tells. */
const renamed = (email: string) =>
  shopperOf(stage.shop).form('/admin/settings', { name: 'Fern & Kiln', email, tax_rate: '0' })
const stored = async () => ({
  orders: await countOf(db, 'orders'),
  deliveries: await countOf(db, 'webhook_deliveries'),
  jobs: (await db.kysely.selectFrom('jobs').select('kind').execute()).length,
  store: await storeOf(),
})

async function deliver(topic: string, secret = cloneKeys.apiSecret): Promise<number> {
  const raw = JSON.stringify({
    id: 1001,
    order_id: 1001,
    myshopify_domain: shop,
    shop_domain: shop,
    orders_requested: [1001],
    orders_to_redact: [1001],
    app_subscription: { admin_graphql_api_id: 'gid://shopify/AppSubscription/1' },
  })
  const answer = await fetch(`${engineOrigin}/webhooks/shopify/${topic.replace('/', '-')}`, {
    method: 'POST',
    body: raw,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': shop,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-triggered-at': new Date().toISOString(),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(raw).digest('base64'),
    },
  })
  await answer.body?.cancel()
  return answer.status
}

t.test('every webhook before the first sign-in is acknowledged and forgotten', async t => {
  const before = await stored()
  t.equal(before.store, undefined)
  for (const topic of Object.keys(shopifyTopics)) {
    t.equal(await deliver(topic), 200, topic)
    t.equal(await deliver(topic, 'not-ours'), 401, `${topic} with another signature`)
  }
  t.same(await stored(), before, 'nothing is remembered')
})

t.test('what the shop itself tells meanwhile is taken, and the first sign-in reads it', async t => {
  // The shop repeats for hours what is refused, and then ends a subscription that was made by a
  // call.
  const subscriptions = web!.subscriptions
  const made = subscriptions.create({
    topic: 'shop/update',
    uri: '/webhooks/shopify/shop-update',
  })
  t.equal((await renamed('early@fern.example')).statusCode, 303)
  const shopper = shopperOf(stage.shop)
  await shopper.json('/cart/add.js', { id: 10100, quantity: 1 })
  t.equal((await shopper.json('/checkout', address)).statusCode, 201)
  await web!.deliveries.delivered()
  t.equal(web!.deliveries.waiting(), 0)
  t.ok(subscriptions.made().some(({ id }) => id === made.id))
  subscriptions.remove(made.id!)
  t.equal(await storeOf(), undefined)

  await call('auth', { body: { idToken: await stage.shop.shopify!.idToken() } })
  t.match(await storeOf(), { shop, status: 'installed', email: 'early@fern.example' })
  await renamed('late@fern.example')
  await web!.deliveries.delivered()
  t.equal((await storeOf())?.email, 'late@fern.example', 'from now on they are heard')
})
