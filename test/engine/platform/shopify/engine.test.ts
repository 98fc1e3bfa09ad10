import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { embedNamespace, publishedIn } from '../../../../domain/script/embed-fields.ts'
import { address, shopperOf } from '../../../demo-shop/support/demo-shop.ts'
import { refusal } from '../../support/engine.ts'
import { firstShop } from '../../support/small-shop.ts'
import { cloneKeys, startOnBoth } from '../../support/shops/both-platforms.ts'
import { shopifyShop as shop } from '../../support/shops/shopify-stage.ts'

const stage = await startOnBoth()
t.teardown(stage.close)
const { engine, db, call } = stage
const face = stage.shop.shopify!
const idToken = () => face.idToken()
const token = (await call('auth', { body: { idToken: await idToken() } })).token

const storeRow = () =>
  db.kysely.selectFrom('stores').selectAll().where('shop', '=', shop).executeTakeFirstOrThrow()
const deliver = async (
  topic: string,
  body: object,
  {
    secret = cloneKeys.apiSecret,
    ...over
  }: { secret?: string; shop?: string; id?: string; at?: Date } = {},
) => {
  const raw = JSON.stringify(body)
  return engine.app.inject({
    method: 'POST',
    url: `/webhooks/shopify/${topic.replace('/', '-')}`,
    payload: raw,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': over.shop ?? shop,
      'x-shopify-webhook-id': over.id ?? randomUUID(),
      'x-shopify-event-id': randomUUID(),
      'x-shopify-triggered-at': (over.at ?? new Date()).toISOString(),
      'x-shopify-api-version': '2026-10',
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(raw).digest('base64'),
    },
  })
}
type Row = { order_id: string; amount: number; refunded: number }
const orders = async () =>
  (
    await sql<Row>`
      select o.order_id, o.amount::int as amount, o.refunded::int as refunded from orders o
      join stores s on s.store_id = o.store_id where s.shop = ${shop} order by 1`.execute(db.kysely)
  ).rows

t.test('a merchant of Shopify signs in beside one of the demo shop', async t => {
  t.match(await storeRow(), { platform: 'shopify', currency: 'USD', time_zone: 'America/New_York' })
  t.equal((await call('storeInfo', {}, token))?.shop, shop)
  t.equal((await call('storeInfo', {}, stage.token))?.shop, firstShop)
  const used = await idToken()
  await call('auth', { body: { idToken: used } })
  t.equal((await refusal(call('auth', { body: { idToken: used } }))).status, 401, 'used once')
})

t.test('a delivery that Shopify has not signed is refused with a 401', async t => {
  t.equal((await deliver('shop/update', { myshopify_domain: shop }, { secret: 'not-ours' })).statusCode, 401) // prettier-ignore
  t.equal((await deliver('orders/create', { id: 1 }, { shop: 'example.com' })).statusCode, 401)
  t.equal((await deliver('shop/redact', { shop_domain: 'other.myshopify.com' })).statusCode, 401)
})

t.test('an order is counted once, however often and late it is told', async t => {
  const shopper = shopperOf(stage.shop)
  await shopper.json('/cart/update.js', { attributes: { _ts: 'visitor-of-shopify' } })
  await shopper.json('/cart/add.js', { id: 10100, quantity: 2 })
  const bought = await shopper.json('/checkout', address)
  t.equal(bought.statusCode, 201)
  const { name } = bought.json<{ name: string }>(),
    id = Number(name.slice(1))
  const first = { id: 'one', at: new Date(Date.now() - 60_000) }
  t.equal((await deliver('orders/create', { id }, first)).statusCode, 200)
  t.equal((await deliver('orders/create', { id }, first)).statusCode, 200, 'the same again')
  const [order] = await orders()
  t.match(order, { order_id: String(id), amount: 6_800, refunded: 0 })
  await shopperOf(stage.shop).form(`/admin/orders/${id}/refund`, { amount: '34.00', already: '0.00' }) // prettier-ignore
  t.equal((await deliver('refunds/create', { id: 5, order_id: id })).statusCode, 200)
  t.match(await orders(), [{ order_id: String(id), refunded: 3_400 }])
  // The older delivery comes last; the shop says what is true now.
  t.equal((await deliver('orders/updated', { id }, { at: first.at })).statusCode, 200)
  t.match(await orders(), [{ order_id: String(id), refunded: 3_400 }])
  t.equal((await deliver('orders/create', { id: 999_999 })).statusCode, 404, 'no such order')
  t.equal((await deliver('orders/create', { id: 'x' })).statusCode, 400)
  t.equal((await orders()).length, 1)
  // Nobody has opened the app in that shop, so it cannot be asked for the order.
  const unknown = await deliver('orders/create', { id }, { shop: 'nobody.myshopify.com' })
  t.equal(unknown.statusCode, 200)
  t.equal((await orders()).length, 1)
})

t.test('requests about shoppers whom we do not know do nothing', async t => {
  const jobs = () => db.kysely.selectFrom('jobs').select('kind').where('kind', 'in', ['shopperErasure', 'shopperExport']).execute() // prettier-ignore
  const about = { shop_domain: shop, customer: { id: 77, email: 'a@b.example' } }
  t.equal((await deliver('customers/redact', { ...about, orders_to_redact: [] })).statusCode, 200)
  t.equal((await deliver('customers/data_request', { ...about, orders_requested: [] })).statusCode, 200) // prettier-ignore
  t.same(await jobs(), [])
  t.equal((await deliver('customers/redact', { ...about, orders_to_redact: [424242] })).statusCode, 200) // prettier-ignore
  t.same(await jobs(), [{ kind: 'shopperErasure' }])
  await engine.runJobs()
  t.equal((await orders()).length, 1, 'an order that we do not have')
})

t.test('the script’s configuration is in fields of the app, and follows the shop', async t => {
  const fields = () =>
    face.metafields
      .of('gid://shopify/AppInstallation/9101')
      .filter(({ namespace }) => namespace === embedNamespace)
  const row = () =>
    db.kysely
      .selectFrom('published_scripts as p')
      .innerJoin('stores as s', 's.store_id', 'p.store_id')
      .select(['p.url', 'p.last_error', 'p.wanted', 'p.published'])
      .where('s.shop', '=', shop)
      .executeTakeFirstOrThrow()
  const again = async (wanted: number) =>
    db.kysely
      .updateTable('published_scripts')
      .set({ wanted, next_attempt_at: new Date(0) })
      .where('store_id', '=', (await storeRow()).store_id)
      .execute()
  const until = async (isSo: (now: Awaited<ReturnType<typeof row>>) => boolean) => {
    for (;;) {
      const now = await row()
      if (isSo(now)) return now
      await setTimeout(20)
    }
  }
  t.match(await until(({ wanted, published }) => published === wanted), {
    url: `https://${shop}/`,
    last_error: null,
  })
  const config = fields().find(({ key }) => key === 'config')
  t.match(publishedIn([config!.value]), { shop, tests: [] })

  // A frozen shop gets its script when it is back.
  face.faults.set([{ kind: '402', on: 'api', times: null }])
  const { wanted } = await row()
  await again(wanted + 1)
  const frozen = await until(({ last_error }) => last_error !== null)
  t.match(frozen.last_error, /is frozen, because a bill/)
  t.not(frozen.published, frozen.wanted)
  face.faults.set([])
  await again(wanted + 1)
  const done = await until(({ published }) => published === wanted + 1)
  t.equal(done.last_error, null)
})

t.test('an uninstall is believed when the signed body names the shop', async t => {
  t.equal((await deliver('app/uninstalled', { id: 1, myshopify_domain: shop })).statusCode, 200)
  await engine.runJobs()
  t.equal((await storeRow()).status, 'uninstalled')
  t.equal((await deliver('app/uninstalled', { id: 1, myshopify_domain: shop })).statusCode, 200)
})
