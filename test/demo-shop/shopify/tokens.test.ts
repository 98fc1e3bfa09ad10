import t from 'tap'
import { keys, openShopifyShop, type ShopifyShop } from './shopify-shop.ts'

const credentials = { client_id: keys.apiKey, client_secret: keys.apiSecret }
const post = async ({ app }: ShopifyShop, fields: object) => {
  const response = await app.inject({
    method: 'POST',
    url: '/admin/oauth/access_token',
    payload: { ...credentials, ...fields },
  })
  return { status: response.statusCode, body: response.json<Record<string, string>>() }
}
const exchange = async (shop: ShopifyShop, idToken: string, more: object = {}) =>
  post(shop, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    requested_token_type: 'urn:shopify:params:oauth:token-type:offline-access-token',
    expiring: '1',
    ...more,
  })
const query = '{ shop { name } }'

t.test(
  'an id token is exchanged for tokens that expire, and these are replaced in pairs',
  async t => {
    let now = new Date('2026-10-05T10:00:00Z')
    const shop = await openShopifyShop(t, {}, { clock: () => now })
    const idToken = await shop.shopify.idToken()
    const { status, body: first } = await exchange(shop, idToken)
    t.equal(status, 200)
    t.match(first, { expires_in: 3600, scope: /write_products/ })
    const asks = async (token: string) => (await shop.ask(query, {}, { token })).status
    t.equal(await asks(first['access_token']!), 200)
    t.equal(await asks('shpat_wrong'), 401)

    const refresh = (token: string) =>
      post(shop, { grant_type: 'refresh_token', refresh_token: token })
    const lost = await refresh(first['refresh_token']!)
    const second = await refresh(first['refresh_token']!)
    t.equal(second.status, 200, 'an answer that was lost can be asked for again')
    t.equal(await asks(lost.body['access_token']!), 401, 'the lost pair has ended')
    t.equal(await asks(second.body['access_token']!), 200)
    t.equal((await refresh(first['refresh_token']!)).status, 400, 'the new token was used')

    now = new Date(now.getTime() + 3_601_000)
    t.equal(await asks(second.body['access_token']!), 401, 'it has expired')
  },
)

t.test('the token endpoint refuses what the platform refuses', async t => {
  let now = new Date('2026-10-05T10:00:00Z')
  const shop = await openShopifyShop(t, {}, { clock: () => now })
  const idToken = await shop.shopify.idToken()
  t.match(await exchange(shop, `${idToken}x`), {
    status: 400,
    body: { error: 'invalid_subject_token' },
  })
  t.match(await exchange(shop, idToken, { expiring: '0' }), {
    status: 400,
    body: { error: 'invalid_request' },
  })
  t.match(await exchange(shop, idToken, { client_secret: 'wrong' }), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  now = new Date(now.getTime() + 120_000)
  t.match(await exchange(shop, idToken), { status: 400, body: { error: 'invalid_subject_token' } })
  shop.shopify.installation.uninstall()
  t.match(await exchange(shop, idToken), { status: 400, body: { error: 'app_not_installed' } })
  t.equal((await shop.ask(query)).status, 401)
})

t.test('an answer that is lost on its way can be asked for again', async t => {
  const shop = await openShopifyShop(t)
  const { body: first } = await exchange(shop, await shop.shopify.idToken())
  const origin = await shop.app.listen({ port: 0, host: '127.0.0.1' })
  const refresh = () =>
    fetch(`${origin}/admin/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials,
        grant_type: 'refresh_token',
        refresh_token: first['refresh_token']!,
      }),
    })
  shop.shopify.faults.set([{ kind: 'lost', times: 1, on: 'token' }])
  await t.rejects(refresh())
  const again = await refresh()
  t.equal(again.status, 200)
  const { access_token: token } = (await again.json()) as { access_token: string }
  t.equal((await shop.ask(query, {}, { token })).status, 200)
})
