import { createHmac, randomUUID } from 'node:crypto'
import t from 'tap'
import { SignJWT } from 'jose'
import { engineConfig } from '../../../../engine/config.ts'
import { verifyShopifyToken } from '../../../../engine/platform/shopify/session/shopify-id-token.ts'
import { GrantRefused } from '../../../../engine/platform/tokens.ts'
import {
  apiKey,
  apiSecret,
  shopifyShop as shop,
  shopifyStage,
  statusOf,
} from '../../support/shops/shopify-stage.ts'

const { platform, adapter, face } = await shopifyStage(t)

const now = new Date()
const at = Math.floor(now.getTime() / 1_000)
const claims = {
  iss: `https://${shop}/admin`,
  dest: `https://${shop}`,
  aud: apiKey,
  sub: '42',
  exp: at + 60,
  nbf: at,
  iat: at,
  jti: 'one',
  sid: 'session',
}
const signed = (over: Record<string, unknown> = {}, secret = apiSecret) =>
  new SignJWT({ ...claims, ...over })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(secret))
const keys = { apiKey, secrets: [apiSecret, 'the-secret-before-the-rotation'] }
const verified = (token: string, when = now) => verifyShopifyToken(token, keys, when)

t.test('a sign-in token of the admin names the shop and the person', async t => {
  t.same(await verified(await signed()), {
    shop,
    user: '42',
    jti: 'one',
    expiresAt: new Date((at + 60) * 1_000),
  })
  t.equal((await verified(await signed({}, 'the-secret-before-the-rotation'))).user, '42')
  t.equal((await platform.verifyIdToken(await face.idToken('7'))).user, '7')
})

t.test(
  'a token that anything is wrong with is refused, and the refusal does not show it',
  async t => {
    const cases: [string, string | Promise<string>][] = [
      ['no token', 'x.y.z'],
      ['another secret', signed({}, 'a-secret-of-somebody-else')],
      ['another app', signed({ aud: 'other' })],
      ['no end', signed({ exp: undefined })],
      ['no id', signed({ jti: undefined })],
      ['no person', signed({ sub: undefined })],
      ['no beginning', signed({ nbf: undefined })],
      ['over', signed({ exp: at - 30, iat: at - 90, nbf: at - 90 })],
      ['not yet', signed({ nbf: at + 30 })],
      ['lives too long', signed({ exp: at + 3_600 })],
      ['issuer of another shop', signed({ iss: 'https://other.myshopify.com/admin' })],
      ['a host that is no shop', signed({ iss: 'https://a.shopify.com', dest: 'https://a.shopify.com' })], // prettier-ignore
      ['no https', signed({ iss: `http://${shop}`, dest: `http://${shop}` })],
      ['a port', signed({ iss: `https://${shop}:444`, dest: `https://${shop}:444` })],
      ['not signed', unsigned()],
    ]
    for (const [name, token] of cases) {
      const text = await token
      const error: unknown = await verified(text).catch((error: unknown) => error)
      t.match(error, { status: 401 }, name)
      t.notOk(String(error).includes(text), name)
    }
  },
)

const unsigned = () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

t.test('a sign-in token is exchanged for expiring tokens, which replace each other', async t => {
  const first = await platform.exchange(shop, await face.idToken())
  t.match(first, { accessToken: /^shpat_/, refreshToken: /^shprt_/ })
  t.ok(first.accessSeconds! <= 3_600 && first.refreshSeconds! > 80 * 86_400)
  const second = await platform.refresh(shop, first.refreshToken!)
  t.not(second.accessToken, first.accessToken)
  const again = await platform.refresh(shop, first.refreshToken!)
  t.match(again, { accessToken: /^shpat_/ }, 'an answer that was lost can be asked for again')
})

t.test('refusals say whether the app is gone, or the token is wrong', async t => {
  t.equal(await statusOf(platform.exchange(shop, 'nonsense')), 401)
  await t.rejects(platform.refresh(shop, 'nonsense'), new GrantRefused())
  const cases = [
    ['402', /is frozen/],
    ['423', /locked/],
    ['500', /answered 500/],
    ['429', /for a moment/],
    ['nonsense', /cannot be read/],
    ['cut', /could not be reached/],
  ] as const
  for (const [kind, message] of cases) {
    face.faults.set([{ kind, on: 'token', times: 1 }])
    await t.rejects(platform.refresh(shop, 'x'), { message }, kind)
  }
  face.faults.set([])
  face.installation.uninstall()
  await t.rejects(platform.refresh(shop, 'x'), new GrantRefused(true))
})

t.test('a delivery is Shopify’s when its raw body is signed by one of our secrets', async t => {
  const body = Buffer.from('{"id":1,"title":"Mug – blue"}')
  const headers = (over: Record<string, string> = {}, of = body, secret = apiSecret) => ({
    'x-shopify-topic': 'products/update',
    'x-shopify-shop-domain': shop,
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-triggered-at': '2026-11-20T10:00:00.123456789Z',
    'x-shopify-api-version': '2026-10',
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(of).digest('base64'),
    ...over,
  })
  const rotated = adapter({ secrets: ['the-secret-after-the-rotation', apiSecret] })
  for (const one of [platform, rotated])
    t.match(one.verifyWebhook(headers(), body), {
      topic: 'products/update',
      shop,
      triggeredAt: '2026-11-20T10:00:00.123Z',
    })
  const old = Object.fromEntries(
    Object.entries(headers()).map(([name, value]) => [name.replace(/^x-/, ''), value]),
  )
  t.ok(platform.verifyWebhook(old, body), 'the newer names of the headers')
  t.equal(platform.verifyWebhook(headers(), Buffer.from(`${body} `)), null, 'one byte more')
  t.equal(platform.verifyWebhook(headers({}, body, 'another-secret-of-16'), body), null)
  for (const [name, value] of [
    ['x-shopify-hmac-sha256', 'AAAA'],
    ['x-shopify-topic', ''],
    ['x-shopify-webhook-id', ''],
    ['x-shopify-shop-domain', 'example.com'],
    ['x-shopify-shop-domain', 'fern.myshopify.com.example.com'],
    ['x-shopify-triggered-at', 'yesterday'],
  ] as const)
    t.equal(platform.verifyWebhook(headers({ [name]: value }), body), null, `${name}: ${value}`)
})

t.test('a delivery that acts by itself must name the shop in its signed body', async t => {
  const delivery = (topic: string, body: object) => {
    const raw = Buffer.from(JSON.stringify(body))
    return platform.verifyWebhook(
      {
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': shop,
        'x-shopify-webhook-id': 'w',
        'x-shopify-triggered-at': now.toISOString(),
        'x-shopify-hmac-sha256': createHmac('sha256', apiSecret).update(raw).digest('base64'),
      },
      raw,
    )
  }
  t.ok(delivery('app/uninstalled', { myshopify_domain: shop }))
  t.ok(delivery('customers/redact', { shop_domain: shop, orders_to_redact: [] }))
  t.equal(delivery('app/uninstalled', { myshopify_domain: 'other.myshopify.com' }), null)
  t.equal(delivery('app/uninstalled', { id: 1, note_attributes: [] }), null, 'an order’s body')
  t.equal(delivery('shop/redact', { shop_domain: 'other.myshopify.com' }), null)
})

t.test('bodies are read by the names that Shopify uses', async t => {
  t.same(platform.parseProduct({ id: 788032119674292900 }), { productId: '788032119674292900' })
  t.same(platform.parseShopper({ orders_requested: [1, 2] }), { orderIds: ['1', '2'] })
  t.same(platform.parseShopper({ orders_to_redact: ['3'] }), { orderIds: ['3'] })
  t.same(platform.parseShopper({ customer: { id: 9 } }), { orderIds: [] }, 'nobody we know')
  t.same(
    platform.parseSubscription({
      app_subscription: { admin_graphql_api_id: 'gid://shopify/AppSubscription/5', name: 'Core' },
    }),
    { id: '5' },
  )
  for (const wrong of [
    () => platform.parseProduct({ id: 'x y' }),
    () => platform.parseShopper({ orders_to_redact: 'all' }),
    () => platform.parseSubscription({}),
    () =>
      platform.parseOrder({}, { topic: 'orders/create', shop, deliveryId: 'x', triggeredAt: '' }),
  ])
    t.throws(wrong, /is not valid/)
})

t.test('the platform’s keys are needed only when it is on', async t => {
  const production = {
    NODE_ENV: 'production',
    SECRETS: 'a-secret-of-sixteen-letters',
    DEMO_APP_SECRET: 'another-secret-of-sixteen',
  }
  t.equal(engineConfig(production).SHOPIFY_API_KEY, undefined)
  const { shopifyConfig } = await import('../../../../engine/platform/shopify/shopify-config.ts')
  t.throws(() => shopifyConfig(engineConfig({ ...production, PLATFORMS: 'shopify' })), {
    message:
      'Configuration: SHOPIFY_API_KEY, SHOPIFY_API_SECRET missing, which the platform shopify needs.',
  })
  t.match(shopifyConfig(engineConfig({ PLATFORMS: 'demo,shopify' })), {
    apiKey: 'twinshelf-shopify',
    standIn: 'http://localhost:3002',
  })
  t.match(
    shopifyConfig(
      engineConfig({
        ...production,
        PLATFORMS: 'shopify',
        SHOPIFY_API_KEY: 'key',
        SHOPIFY_API_SECRET: apiSecret,
        SHOPIFY_API_SECRET_OLD: 'the-secret-before-the-rotation',
      }),
    ),
    {
      secrets: [apiSecret, 'the-secret-before-the-rotation'],
      standIn: undefined,
      writesThemes: false,
    },
  )
})
