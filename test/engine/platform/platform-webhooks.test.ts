import { createHmac } from 'node:crypto'
import t from 'tap'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { appKey, appSecret, firstShop, secondShop } from '../support/small-shop.ts'

const platform = demoPlatform({ appKey, appSecret, shopOrigin: 'http://localhost:3002' })
t.teardown(() => platform.close())

const said = {
  id: 'delivery-1',
  topic: 'orders/create',
  shop: firstShop,
  triggered_at: '2026-11-10T12:00:00.000Z',
}
const headersOf = ({ id, topic, shop, triggered_at }: typeof said) => ({
  'x-demo-delivery-id': id,
  'x-demo-topic': topic,
  'x-demo-shop': shop,
  'x-demo-triggered-at': triggered_at,
})
function verified(headers: typeof said, signed = said) {
  const body = Buffer.from(JSON.stringify({ delivery: signed }))
  const signature = createHmac('sha256', appSecret).update(body).digest('base64')
  return platform.verifyWebhook({ ...headersOf(headers), 'x-demo-hmac-sha256': signature }, body)
}

t.test('each header of a delivery must match its signed body', async t => {
  t.same(verified(said), {
    topic: said.topic,
    shop: firstShop,
    deliveryId: said.id,
    triggeredAt: said.triggered_at,
  })
  const other = {
    id: 'delivery-2',
    topic: 'orders/updated',
    shop: secondShop,
    triggered_at: '2026-11-10T12:00:01.000Z',
  }
  const keys = Object.keys(said) as (keyof typeof said)[]
  for (const key of keys) {
    t.equal(verified({ ...said, [key]: other[key] }), null, `another ${key}`)
    t.equal(verified({ ...other, [key]: said[key] }), null, `the same ${key} alone`)
  }
  t.equal(verified({ ...said, triggered_at: 'noon' }, { ...said, triggered_at: 'noon' }), null)
})

t.test('an invalid sign-in token is refused', async t => {
  for (const token of ['', 'x', 'a.b.c'])
    await t.rejects(platform.verifyIdToken(token), { message: /./ }, token)
})
