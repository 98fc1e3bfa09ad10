import t from 'tap'
import { faultKinds } from '../../../demo-shop/shopify/api/faults.ts'
import { openBucket } from '../../../demo-shop/shopify/api/bucket.ts'
import { sizeOf } from '../../../demo-shop/shopify/api/query-cost.ts'
import { knownToken, openShopifyShop } from './shopify-shop.ts'

t.test('a query costs what it asks for, and gets back what it did not return', async t => {
  const shop = await openShopifyShop(t)
  const costOf = async (query: string) => (await shop.ask(query)).body.extensions!.cost
  t.match(await costOf('{ shop { name } }'), { requestedQueryCost: 1, actualQueryCost: 1 })
  t.match(
    await costOf('mutation { metafieldsDelete(metafields: []) { userErrors { message } } }'),
    { actualQueryCost: 10 },
  )
  t.equal(
    (await costOf('{ products(first: 3) { nodes { id } } }')).requestedQueryCost,
    2 + 3,
    'a connection and its things',
  )
  const few = await costOf('{ products(first: 250, query: "id:101") { nodes { id } } }')
  t.equal(few.requestedQueryCost, 2 + sizeOf(250))
  t.equal(few.actualQueryCost, 2 + 1)
  t.ok(sizeOf(250) >= 11, 'not below what was seen at the platform')
  const { body } = await shop.ask(
    '{ products(first: 250) { nodes { variants(first: 250) { nodes { product { variants(first: 250) { nodes { id } } } } } } } }',
  )
  t.match(body.errors?.[0], { extensions: { code: 'MAX_COST_EXCEEDED' } })
})

t.test('the bucket refills at the rate of the plan', async t => {
  let now = 0
  const bucket = openBucket(
    () => 100,
    () => now,
  )
  t.equal(bucket.take(2_000), true)
  t.equal(bucket.take(1), false)
  now = 500
  t.equal(bucket.status().currentlyAvailable, 50)
  t.equal(bucket.take(50), true)
  bucket.give(5_000)
  t.same(bucket.status(), {
    maximumAvailable: 2_000,
    currentlyAvailable: 2_000,
    restoreRate: 100,
  })
})

t.test('an empty bucket answers THROTTLED, with what it holds', async t => {
  const shop = await openShopifyShop(t)
  shop.shopify.bucket.restoreRate = 0.001
  const { status, body } = await shop.ask('{ shop { name } }')
  t.equal(status, 200)
  t.match(body, {
    errors: [{ extensions: { code: 'THROTTLED' } }],
    extensions: { cost: { actualQueryCost: null, throttleStatus: { currentlyAvailable: 0 } } },
  })
  t.equal(shop.shopify.bucket.throttled, 1)
  shop.shopify.bucket.restoreRate = null
  shop.shopify.settings.set({ plan: 'plus' })
  t.equal(
    (await shop.ask('{ shop { name } }')).body.extensions!.cost.throttleStatus.restoreRate,
    1_000,
  )
})

t.test('every answer says in which version, also when it is another', async t => {
  const shop = await openShopifyShop(t)
  const version = async (asked: string) =>
    (await shop.ask('{ shop { name } }', {}, { version: asked })).headers['x-shopify-api-version']
  t.equal(await version('2026-10'), '2026-10')
  t.equal(await version('2024-01'), '2026-10', 'an old version falls forward')
  shop.shopify.served.version = '2027-01'
  t.equal(await version('2026-10'), '2027-01')
  t.equal((await shop.ask('{ shop { name } }', {}, { version: 'latest' })).status, 404)
})

t.test('each fault spoils a read and a write, as often as it is asked for', async t => {
  const shop = await openShopifyShop(t)
  const origin = await shop.app.listen({ port: 0, host: '127.0.0.1' })
  const read = '{ shop { name } }'
  const write =
    'mutation { productUpdate(product: { id: "gid://shopify/Product/101", templateSuffix: "SUFFIX" }) { userErrors { message } } }'
  const post = async (query: string): Promise<string> => {
    try {
      const response = await fetch(`${origin}/admin/api/2026-10/graphql.json`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-shopify-access-token': knownToken },
        body: JSON.stringify({ query }),
        signal: AbortSignal.timeout(2_000),
      })
      if (response.status !== 200) return String(response.status)
      const body = JSON.parse(await response.text()) as {
        errors?: { extensions: { code: string } }[]
      }
      return body.errors?.[0]?.extensions.code ?? 'done'
    } catch (error) {
      return error instanceof SyntaxError ? 'nonsense' : 'no answer'
    }
  }
  const suffix = async () => {
    const { product } = await shop.data<{ product: { templateSuffix: string } }>(
      '{ product(id: "gid://shopify/Product/101") { templateSuffix } }',
    )
    return product.templateSuffix
  }
  const expected: Record<string, string> = {
    throttled: 'THROTTLED',
    slow: 'no answer',
    lost: 'no answer',
    cut: 'no answer',
    nonsense: 'nonsense',
  }
  const isDone = new Set(['slow', 'lost', 'cut', 'nonsense'])
  for (const kind of faultKinds) {
    shop.shopify.faults.set([{ kind, times: 2, on: 'api', seconds: 30 }])
    t.equal(await post(read), expected[kind] ?? kind, `${kind}: a read`)
    t.equal(await post(write.replace('SUFFIX', `after-${kind}`)), expected[kind] ?? kind)
    t.equal(await post(read), 'done', `${kind}: then no more`)
    t.equal((await suffix()) === `after-${kind}`, isDone.has(kind), `${kind}: done or not`)
  }
})

t.test('a fault can wait, concern only some calls, or the token endpoint', async t => {
  const shop = await openShopifyShop(t)
  const status = async (query: string) => (await shop.ask(query)).status
  shop.shopify.faults.set([
    { kind: '503', times: null, on: 'api', holding: 'themes', after: 1 },
    { kind: '500', times: 1, on: 'token' },
  ])
  t.equal(await status('{ themes(first: 1) { nodes { id } } }'), 200)
  t.equal(await status('{ shop { name } }'), 200)
  t.equal(await status('{ themes(first: 1) { nodes { id } } }'), 503)
  const token = () =>
    shop.app.inject({ method: 'POST', url: '/admin/oauth/access_token', payload: {} })
  t.equal((await token()).statusCode, 500)
  t.equal((await token()).statusCode, 401)
})

t.test('the back office switches faults, scopes and plans', async t => {
  const shop = await openShopifyShop(t)
  const put = (payload: object) =>
    shop.app.inject({ method: 'PUT', url: '/admin/shopify/switches.json', payload })
  t.equal((await put({ faults: [{ kind: '402', times: 1, on: 'api' }] })).statusCode, 200)
  t.equal((await shop.ask('{ shop { name } }')).status, 402)
  t.match((await put({ settings: { plan: 'plus' } })).json(), {
    settings: { plan: 'plus', themeWrites: false },
    version: '2026-10',
  })
  t.equal((await put({ faults: [{ kind: '418', times: 1, on: 'api' }] })).statusCode, 422)
  const closed = await openShopifyShop(t, {}, { adminPassword: 'a password of the shop' })
  t.equal((await closed.app.inject('/admin/shopify/switches.json')).statusCode, 302)
})
