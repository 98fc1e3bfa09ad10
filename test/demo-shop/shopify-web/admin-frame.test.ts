import { decodeJwt, jwtVerify } from 'jose'
import t from 'tap'
import { usualScopes } from '../../../demo-shop/shopify/face.ts'
import { signature } from '../../../demo-shop/admin/app-link.ts'
import { appOrigin, shopOrigin } from '../support/demo-shop.ts'
import { apiKey, apiSecret, base, openWeb } from './support.ts'

const now = () => new Date('2026-11-20T15:00:00Z')
const srcOf = (html: string) =>
  new URL(/<iframe src="([^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&'))

t.test('the admin frames the app’s page with the parameters of the platform', async t => {
  const { app } = await openWeb(t, { clock: now })
  const answer = await app.inject(`${base}/tests/abc?tab=orders&shop=evil&id_token=old`)
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-security-policy'], "frame-ancestors 'none'")
  const src = srcOf(answer.body)
  t.equal(src.origin, appOrigin)
  t.equal(src.pathname, '/tests/abc')
  const said = Object.fromEntries(src.searchParams)
  t.match(said, {
    tab: 'orders',
    embedded: '1',
    shop: 'fern-and-kiln.myshopify.com',
    timestamp: String(now().getTime() / 1000),
    locale: 'en',
  })
  t.equal(
    Buffer.from(said['host']!, 'base64').toString(),
    `${new URL(shopOrigin).host}/admin/store/fern-and-kiln`,
  )
  t.equal(said['hmac'], signature([...src.searchParams], apiSecret))
  const { payload } = await jwtVerify(said['id_token']!, new TextEncoder().encode(apiSecret), {
    currentDate: now(),
    audience: apiKey,
    algorithms: ['HS256'],
  })
  t.match(payload, {
    iss: 'https://fern-and-kiln.myshopify.com/admin',
    dest: 'https://fern-and-kiln.myshopify.com',
    exp: now().getTime() / 1000 + 60,
    nbf: now().getTime() / 1000,
  })
  t.ok(payload.jti)
})

t.test('the app is found by its key, too, and nothing else is an app', async t => {
  const { app } = await openWeb(t)
  const byKey = await app.inject(`/admin/store/fern-and-kiln/apps/${apiKey}/plans?x=1`)
  t.equal(byKey.headers.location, `${base}/plans?x=1`)
  for (const path of ['/admin/store/fern-and-kiln/apps/other', '/admin/store/other/apps/twinshelf'])
    t.equal((await app.inject(path)).statusCode, 404, path)
  for (const path of ['//evil.test/', '/%5Cevil.test/'])
    t.notMatch((await app.inject(base + path)).body, /src="https?:\/\/evil/, path)
})

t.test('App Bridge is one script at one address, for pages of other sites', async t => {
  const { app } = await openWeb(t)
  const { headers, body } = await app.inject('/app-bridge.js')
  t.match(headers, {
    'content-type': /javascript/,
    'cross-origin-resource-policy': 'cross-origin',
  })
  t.doesNotThrow(() => new Function(body))
  t.match(body, `"${shopOrigin}"`)
})

t.test('what App Bridge asks: tokens that differ, the user, and scopes', async t => {
  const { app, web } = await openWeb(t, {
    shopify: { optionalScopes: ['read_rollouts'] },
  })
  const ask = async (call: string, ...args: unknown[]) => {
    const answer = await app.inject({
      method: 'POST',
      url: `${base}/bridge`,
      payload: { call, args },
    })
    return { status: answer.statusCode, ...answer.json<{ value: never; message?: string }>() }
  }
  const tokens = [(await ask('idToken')).value, (await ask('idToken')).value]
  t.not(decodeJwt(tokens[0]!).jti, decodeJwt(tokens[1]!).jti)
  t.match((await ask('user')).value, { name: 'Mara Lindqvist', accountAccess: 'account owner' })
  t.same((await ask('scopes.query')).value, {
    granted: usualScopes,
    required: usualScopes,
    optional: ['read_rollouts'],
  })
  t.match((await ask('scopes.grant', ['read_rollouts'])).value, {
    result: 'granted-all',
    detail: { granted: [...usualScopes, 'read_rollouts'] },
  })
  t.equal((await ask('scopes.grant', ['write_everything'])).status, 422)
  t.equal((await ask('scopes.revoke', ['read_products'])).status, 422, 'it is required')
  t.match((await ask('scopes.decline')).value, { result: 'declined-all' })
  t.match((await ask('scopes.revoke', ['read_rollouts'])).value, {
    detail: { granted: usualScopes },
  })
  web.scopes.withhold(usualScopes)
  t.same(web.scopes.current().granted, [])
  t.equal((await ask('resourcePicker')).status, 422, 'what it lacks is refused')
  const foreign = await app.inject({
    method: 'POST',
    url: `${base}/bridge`,
    headers: { origin: 'https://evil.test' },
    payload: { call: 'idToken' },
  })
  t.equal(foreign.statusCode, 403)
})

t.test('after the app is uninstalled nothing frames it', async t => {
  const { app } = await openWeb(t)
  await app.inject({ method: 'POST', url: `/admin/store/fern-and-kiln/settings/apps/uninstall` })
  t.equal((await app.inject(base)).headers.location, '/admin/store/fern-and-kiln/settings/apps')
  const asked = await app.inject({
    method: 'POST',
    url: `${base}/bridge`,
    payload: { call: 'idToken' },
  })
  t.equal(asked.statusCode, 404)
})
