import t from 'tap'
import { Writable } from 'node:stream'
import type { LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { startEngine } from '../../engine/support/engine.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'
import { firstShop, secondShop } from '../../engine/support/small-shop.ts'

const engine = await startEngine()
const upstreamOrigin = await engine.engine.app.listen({ port: 0, host: '127.0.0.1' })
let log = ''
const logger = pino(
  { level: 'trace' },
  new Writable({
    write: (chunk: Buffer, _, done) => {
      log += chunk.toString()
      done()
    },
  }),
)
const start = (origin: string) =>
  buildApp({
    config: appConfig({ APP_ORIGIN: origin }),
    upstreamOrigin,
    clock: () => engine.now.at,
    log: logger,
  })
const local = await start('http://localhost:3000'),
  hosted = await start('https://app.twinshelf.example')
t.teardown(async () => {
  await local.close()
  await hosted.close()
  await engine.close()
})

const get = (url: string, cookie = '', app = local) => app.app.inject({ url, headers: { cookie } })
const cookieOf = (response: LightMyRequestResponse) =>
  response.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
const signedIn = async (app = local) =>
  cookieOf(await get(`/?id_token=${await engine.shop.idToken()}`, '', app))
const session = `${engine.shop.origin}/admin/apps/twinshelf/session`

t.test("the shop's token becomes a session and is removed from the address", async t => {
  const idToken = await engine.shop.idToken()
  const entry = await get(
    `/tests/list/ended?embedded=1&shop=${firstShop}&host=aG9zdA&timestamp=1&hmac=ab&search=a%26b&id_token=${idToken}`,
  )
  t.equal(entry.statusCode, 302)
  const target = new URL(String(entry.headers.location), 'http://localhost:3000')
  t.equal(target.pathname, '/tests/list/ended')
  t.same(Object.fromEntries(target.searchParams), {
    embedded: '1',
    shop: firstShop,
    host: 'aG9zdA',
    timestamp: '1',
    hmac: 'ab',
    search: 'a&b',
    signed_in: target.searchParams.get('signed_in'),
  })
  t.equal((await get(target.pathname + target.search, cookieOf(entry))).statusCode, 200)
  t.notMatch(log, idToken, 'the token is not in the log')
  for (const { value } of entry.cookies) t.notMatch(log, value)
  t.match(log, '"path":"/tests/list/ended"')
})

t.test('cookies are HttpOnly; over https also bound to the host and partitioned', async t => {
  const [token, refresh] = (await get(`/?id_token=${await engine.shop.idToken()}`)).cookies
  t.match(token, { name: 'ts_fern-and-kiln', httpOnly: true, path: '/', sameSite: 'Lax' })
  t.match(refresh, { name: 'ts_fern-and-kiln_refresh', httpOnly: true, path: '/', sameSite: 'Lax' })
  t.notOk(token!.secure)
  const entry = await get(`/?id_token=${await engine.shop.idToken()}`, '', hosted)
  for (const line of [entry.headers['set-cookie']].flat())
    t.match(
      line,
      /^__Host-ts_fern-and-kiln(_refresh)?=[^;]+; .*Path=\/;.*HttpOnly; Secure;( Partitioned;)? SameSite=None(; Partitioned)?/,
    )
  t.equal(
    [entry.headers['set-cookie']]
      .flat()
      .filter(line => line?.includes('Partitioned') && !line.includes('Domain')).length,
    2,
  )
})

t.test(
  'a fault of the API at the sign-in is shown as a fault, not as a missing session',
  async t => {
    const api = await smallUpstream()
    api.answers['/auth'] = (_, response) => json(response, { message: 'Broken.' }, 500)
    const app = await buildApp({
      config: appConfig({}),
      upstreamOrigin: api.origin,
      timeouts: { deadline: 0 },
    })
    t.teardown(async () => {
      await app.close()
      api.close()
    })
    const entry = await get(`/?id_token=${await engine.shop.idToken()}`, '', app)
    t.ok(api.asked.includes('POST /auth'))
    t.equal(entry.statusCode, 502)
  },
)

t.test('an invalid token gives no session, only one more sign-in', async t => {
  for (const [name, token] of [
    ['expired', await engine.shop.idToken({ exp: 1 })],
    ['for another app', await engine.shop.idToken({ aud: 'other' })],
    ['signed by another', await engine.shop.idToken({}, { secret: 'x'.repeat(32) })],
    ['nonsense', 'a.b.c'],
  ] as const) {
    const answer = await get(`/?shop=${firstShop}&id_token=${token}`)
    t.match(answer.headers.location, /^\/auth\?shop=/, name)
    t.same(answer.cookies, [], name)
    const admin = new URL(String((await get(String(answer.headers.location))).headers.location))
    const back = new URL(admin.searchParams.get('return_to')!, 'http://localhost:3000')
    t.notOk(back.searchParams.has('id_token'))
    back.searchParams.set('id_token', token)
    t.equal(
      (await get(back.pathname + back.search)).headers.location,
      `/auth-missing?shop=${firstShop}`,
      `${name}, again`,
    )
    back.searchParams.set('id_token', await engine.shop.idToken())
    const good = new URL(
      String((await get(back.pathname + back.search)).headers.location),
      'http://localhost:3000',
    )
    t.same([...good.searchParams.keys()], ['shop', 'signed_in'], 'no mark stays in the address')
  }
})

t.test('the first address cannot redirect to another site', async t => {
  const token = await engine.shop.idToken()
  for (const path of ['//evil.test/', '/\\evil.test/', '/%2F/evil.test']) {
    const answer = await local.app.inject({ url: `${path}?id_token=${token}` })
    t.notMatch(String(answer.headers.location ?? '/'), /^(\/\/|\/\\|\w+:)/, path)
  }
})

t.test('without a session the browser is sent to sign in and returns to the same page', async t => {
  const answer = await get(`/tests/list/ended?shop=${firstShop}&host=aG9zdA&search=a%26b&page=2`)
  t.equal(answer.statusCode, 302)
  const auth = new URL(String(answer.headers.location), 'http://localhost:3000')
  t.equal(auth.pathname, '/auth')
  t.equal(auth.searchParams.get('shop'), firstShop)
  const admin = new URL(String((await get(auth.pathname + auth.search)).headers.location))
  t.equal(admin.origin + admin.pathname, session)
  const back = new URL(admin.searchParams.get('return_to')!, 'http://localhost:3000')
  t.equal(back.pathname, '/tests/list/ended')
  t.same(
    Object.fromEntries(back.searchParams),
    { shop: firstShop, host: 'aG9zdA', search: 'a&b', page: '2' },
    'the query is kept',
  )
  const posted = await local.app.inject({
    method: 'POST',
    url: '/tests/draft/edit',
    headers: { origin: 'http://localhost:3000' },
  })
  t.equal(posted.statusCode, 303, 'what was posted is not posted again')
})

t.test('a return address on another site is ignored', async t => {
  for (const from of [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
  ]) {
    const target = new URL(
      String((await get(`/auth?from=${encodeURIComponent(from)}`)).headers.location),
    )
    t.equal(target.origin + target.pathname, session, from)
    t.equal(target.searchParams.get('return_to'), '/', from)
  }
})

t.test('a browser without cookies gets a message, not endless redirects', async t => {
  const entry = await get(`/?shop=${firstShop}&id_token=${await engine.shop.idToken()}`)
  const back = String(entry.headers.location)
  t.equal((await get(back)).statusCode, 200, 'a page that tries to hold the session itself')
  const part = await local.app.inject({ url: back, headers: { 'hx-request': 'true' } })
  t.match(part.headers['hx-redirect'], /^\/auth-missing\?shop=/)
  const page = await get(String(part.headers['hx-redirect']))
  t.equal(page.statusCode, 401)
  t.match(page.body, 'blocks the cookie')
  const stale = `/?shop=${firstShop}&signed_in=${engine.now.at.getTime() - 3_600_000}`
  t.match(
    (await get(stale)).headers.location,
    /^\/auth\?/,
    'a page that was open for a long time signs in again',
  )
})

t.test('without a shop in the address the only session is used, else sign in', async t => {
  const first = await signedIn()
  t.equal((await get('/', first)).statusCode, 200)
  t.equal((await get('/')).headers.location, '/auth?from=%2F')
  const other = `${first}; ts_other-shop=x; ts_other-shop_refresh=y`
  t.equal(
    (await get('/', other)).headers.location,
    '/auth?from=%2F',
    'with two sessions none is guessed',
  )
  t.equal(
    (await get(`/?shop=${firstShop}`, other)).statusCode,
    200,
    'the session of the named shop is used',
  )
  t.match(
    (await get(`/?shop=${secondShop}`, first)).headers.location,
    /^\/auth\?shop=other-shop/,
    "another shop's session is never used",
  )
  for (const shop of ['../x', 'a b', 'x'.repeat(300), '%00'])
    t.match(
      (await get(`/?shop=${encodeURIComponent(shop)}`, '')).headers.location,
      /^\/auth\?from=/,
      shop.slice(0, 10),
    )
})

t.test('an expired session is renewed during the request by the refresh cookie', async t => {
  const cookie = await signedIn()
  const late = new Date(engine.now.at)
  engine.now.at = new Date(late.getTime() + 9.6 * 60_000)
  const renewed = await get('/', cookie)
  t.equal(renewed.statusCode, 200)
  t.same(
    renewed.cookies.map(c => c.name),
    ['ts_fern-and-kiln', 'ts_fern-and-kiln_refresh'],
  )
  t.equal((await get('/', cookieOf(renewed))).cookies.length, 0, 'it is renewed once')
  engine.now.at = new Date(late.getTime() + 40 * 86_400_000)
  t.match(
    (await get(`/tests/list/ended?shop=${firstShop}`, cookieOf(renewed))).headers.location,
    /^\/auth\?/,
    'when the refresh token has expired too, the merchant signs in again',
  )
  engine.now.at = late
})

t.test('a forged session token opens nothing, not even another’s cached answer', async t => {
  const cookie = await signedIn()
  await get('/', cookie)
  const [, payload] = cookie.match(/ts_fern-and-kiln=[^.]+\.([^.]+)\./)!
  const forged = `ts_fern-and-kiln=eyJhbGciOiJub25lIn0.${payload}.x`
  const answer = await get('/', forged)
  t.equal(answer.headers.location, '/auth-missing', 'store info answers 401')
  for (const odd of ['%00', '%0d%0aX-Evil: 1', '%20'])
    t.match(
      (await get('/', `ts_fern-and-kiln=a${odd}.${payload}.x`)).headers.location,
      /^\/auth\?/,
      `${odd} in a token: no session`,
    )
  t.notMatch(answer.body, 'Fern')
})

t.test('an htmx request without a session redirects the whole page to sign in', async t => {
  const answer = await local.app.inject({
    url: `/?shop=${firstShop}`,
    headers: { 'hx-request': 'true' },
  })
  t.equal(answer.statusCode, 204)
  t.match(answer.headers['hx-redirect'], /^\/auth\?shop=/)
})

t.test('only a page of the app can renew a session by request', async t => {
  const cookie = await signedIn()
  const renew = (headers: Record<string, string>, url = '/auth') =>
    local.app.inject({ url, method: 'POST', headers })
  const answer = await renew({ cookie, origin: 'http://localhost:3000' })
  t.equal(answer.statusCode, 200)
  t.ok(Date.parse(answer.json<{ expiresAt: string }>().expiresAt) > engine.now.at.getTime())
  t.equal(answer.headers['cache-control'], 'no-store')
  t.same(
    answer.cookies.map(({ name }) => name),
    ['ts_fern-and-kiln', 'ts_fern-and-kiln_refresh'],
  )
  t.equal((await get('/', cookieOf(answer))).statusCode, 200)
  t.equal(
    (await renew({ cookie, origin: 'https://evil.test' })).statusCode,
    403,
    'not by another site',
  )
  t.equal(
    (await renew({ origin: 'http://localhost:3000' })).statusCode,
    401,
    'not without a session',
  )
  t.equal(
    (await renew({ cookie: 'ts_fern-and-kiln_refresh=nonsense', origin: 'http://localhost:3000' }))
      .statusCode,
    401,
  )
  t.equal(
    (await renew({ cookie, origin: 'http://localhost:3000' }, `/auth?shop=${secondShop}`))
      .statusCode,
    401,
    "nor another shop's",
  )
})

t.test('a token that was used signs in again, with the page that was asked for', async t => {
  const idToken = await engine.shop.idToken()
  const page = `/tests/list/ended?shop=${firstShop}&page=2&id_token=${idToken}`
  t.equal((await get(page)).cookies.length, 2)
  const again = await get(page)
  t.same(again.cookies, [])
  const auth = new URL(String(again.headers.location), 'http://localhost:3000')
  t.equal(auth.pathname, '/auth')
  t.match(auth.searchParams.get('from'), /^\/tests\/list\/ended\?shop=[^&]+&page=2&/)
})

t.test('a session that has lasted a day signs in again by itself', async t => {
  const begun = engine.now.at
  const jar = await signedIn()
  engine.now.at = new Date(begun.getTime() + 24 * 3_600_000 + 1_000)
  t.teardown(() => {
    engine.now.at = begun
  })
  const search = `?shop=${firstShop}`
  const document = await get(`/tests/list/ended${search}&search=a`, jar)
  t.equal(document.statusCode, 302)
  const htmx = async (url: string, from: string) =>
    local.app.inject({
      url,
      headers: {
        cookie: jar,
        'hx-request': 'true',
        referer: `http://localhost:3000${from}`,
      },
    })
  const list = `/tests/list/ended${search}`
  const navigated = await htmx(`${list}&search=a`, list)
  t.equal(navigated.statusCode, 204)
  const part = await htmx(`/tests/draft/edit/1/matches${search}&count=1`, `${list}&search=a`)
  t.equal(part.statusCode, 204)
  for (const to of [
    document.headers.location,
    navigated.headers['hx-redirect'],
    part.headers['hx-redirect'],
  ]) {
    const auth = new URL(String(to), 'http://localhost:3000')
    t.equal(auth.pathname, '/auth')
    t.equal(auth.searchParams.get('from'), `${list}&search=a`)
    const admin = new URL(String((await get(auth.pathname + auth.search)).headers.location))
    t.equal(admin.origin + admin.pathname, session)
    const back = `${admin.searchParams.get('return_to')}&id_token=${await engine.shop.idToken()}`
    const entry = await get(back, jar)
    t.match(entry.headers.location, `${list}&search=a`)
    t.equal((await get(String(entry.headers.location), cookieOf(entry))).statusCode, 200)
  }
})

t.test('another user of the same shop in the same browser gets a session of their own', async t => {
  const userOf = ({ cookies }: LightMyRequestResponse) =>
    (
      JSON.parse(Buffer.from(cookies[0]!.value.split('.')[1]!, 'base64url').toString()) as {
        user: string
      }
    ).user
  const first = await get(`/?shop=${firstShop}&id_token=${await engine.shop.idToken()}`)
  const second = await get(
    `/?shop=${firstShop}&id_token=${await engine.shop.idToken({ sub: '8' })}`,
    cookieOf(first),
  )
  t.same([userOf(first), userOf(second)], ['7', '8'])
  const users = await engine.db.kysely
    .selectFrom('refresh_tokens')
    .select('user_id')
    .distinct()
    .orderBy('user_id')
    .execute()
  t.same(users, [{ user_id: '7' }, { user_id: '8' }])
})
