import t from 'tap'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { TokenPair } from '../../demo-shop/apps/app-tokens.ts'
import { grants, tokenPath } from '../../demo-shop/apps/token-endpoint.ts'
import { shop as record } from '../../demo-shop/shop.ts'
import { day, hour, minute } from '../../domain/time-units.ts'
import { appKey, appSecret, openShop } from './support/demo-shop.ts'

const now = { at: new Date('2026-11-21T10:00:00Z') }
const later = (milliseconds: number) => (now.at = new Date(now.at.getTime() + milliseconds))
const demo = await openShop(t, { clock: () => now.at, knownToken: undefined })

const ask = (fields: Record<string, string>) =>
  demo.app.inject({
    method: 'POST',
    url: tokenPath,
    payload: { client_id: appKey, client_secret: appSecret, shop: record.shop, ...fields },
  })
const own = async () => (await ask({ grant_type: grants.own })).json<TokenPair>()
const refresh = async (token: string) => ask({ grant_type: grants.refresh, refresh_token: token })
const use = async (token: string) =>
  (
    await demo.app.inject({
      url: '/admin/api/shop.json',
      headers: { authorization: `Bearer ${token}` },
    })
  ).statusCode
function idToken(claims: Record<string, unknown> = {}, secret = appSecret): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000),
    issuer = `https://${record.shop}`
  return new SignJWT({
    iss: issuer,
    dest: issuer,
    aud: appKey,
    sub: '7',
    exp: seconds + 60,
    nbf: seconds,
    iat: seconds,
    jti: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))
}

t.test('the shop exchanges only a sign-in token that it has verified itself', async t => {
  const exchange = async (token: string) =>
    ask({ grant_type: grants.exchange, subject_token: token })
  const good = (await exchange(await idToken())).json<TokenPair>()
  t.match(good, { expires_in: 3_600, refresh_token_expires_in: 90 * 86_400 })
  t.equal(await use(good.access_token), 200)
  const elsewhere = 'https://other-shop.demo-shop.test'
  for (const [name, token] of Object.entries({
    'signed by another': await idToken({}, 'another-secret-of-this-test'),
    'another app': await idToken({ aud: 'other' }),
    'another shop': await idToken({ iss: elsewhere, dest: elsewhere }),
    'issuer and shop differ': await idToken({ dest: elsewhere }),
    'without an end': await idToken({ exp: undefined }),
    expired: await idToken({ exp: 1 }),
    nonsense: 'x',
  })) {
    const answer = await exchange(token)
    t.equal(answer.statusCode, 400, name)
    t.equal(answer.json<{ error: string }>().error, 'invalid_subject_token', name)
  }
})

t.test('only the app, and only for this shop', async t => {
  const refusal = async (fields: Record<string, string>) => {
    const answer = await ask({ grant_type: grants.own, ...fields })
    return [answer.statusCode, answer.json<{ error: string }>().error]
  }
  t.same(await refusal({ client_secret: 'x' }), [401, 'invalid_client'])
  t.same(await refusal({ client_id: 'x' }), [401, 'invalid_client'])
  t.same(await refusal({ shop: 'other.demo-shop.test' }), [404, 'unknown_shop'])
  t.same(await refusal({ grant_type: 'password' }), [400, 'unsupported_grant_type'])
})

t.test('the admin API takes an access token and nothing else', async t => {
  const { access_token, refresh_token } = await own()
  t.equal(await use(access_token), 200)
  for (const token of [appSecret, refresh_token, `${access_token}x`, ''])
    t.equal(await use(token), 401)
  t.equal((await demo.app.inject('/admin/api/shop.json')).statusCode, 401)
  for (const url of ['/admin/api/themes.json', '/admin/api/app_subscriptions.json'])
    t.equal(
      (await demo.app.inject({ url, headers: { authorization: `Bearer ${appSecret}` } }))
        .statusCode,
      401,
      url,
    )
})

t.test('an access token ends after an hour, and a refresh replaces both', async t => {
  const first = await own()
  later(59 * minute)
  t.equal(await use(first.access_token), 200)
  later(minute)
  t.equal(await use(first.access_token), 401)
  const second = (await refresh(first.refresh_token)).json<TokenPair>()
  t.equal(await use(second.access_token), 200)
  t.equal((await refresh(first.refresh_token)).statusCode, 400, 'the new token was used')
  later(90 * day - 2 * minute)
  const third = (await refresh(second.refresh_token)).json<TokenPair>()
  t.equal(await use(third.access_token), 200)
  later(90 * day)
  t.same((await refresh(third.refresh_token)).json<{ error: string }>().error, 'invalid_grant')
})

t.test('after a lost answer the old refresh token works until the new one is used', async t => {
  const first = await own()
  const lost = (await refresh(first.refresh_token)).json<TokenPair>()
  later(hour)
  const second = (await refresh(first.refresh_token)).json<TokenPair>()
  t.equal((await refresh(lost.refresh_token)).statusCode, 400, 'the lost pair has ended')
  t.equal(await use(lost.access_token), 401)
  t.equal(await use(second.access_token), 200)
  t.equal((await refresh(first.refresh_token)).statusCode, 400)
  const forgotten = await own()
  await refresh(forgotten.refresh_token)
  later(31 * day)
  t.equal((await refresh(forgotten.refresh_token)).statusCode, 400, 'at most thirty days')
})

t.test('no token is stored', async t => {
  const { access_token, refresh_token } = await own()
  const db = new DatabaseSync(join(demo.dataDir, 'demo-shop/shop.sqlite'), { readOnly: true })
  t.teardown(() => db.close())
  const stored = JSON.stringify(db.prepare('select * from app_tokens').all())
  t.match(stored, 'refresh_until')
  t.notMatch(stored, access_token.slice(12))
  t.notMatch(stored, refresh_token.slice(13))
})

t.test('an uninstall ends all tokens, and there are none until the app is back', async t => {
  const { access_token, refresh_token } = await own()
  const gone = await demo.app.inject({
    method: 'POST',
    url: '/admin/api/uninstall',
    headers: { authorization: `Bearer ${access_token}` },
  })
  t.equal(gone.statusCode, 200)
  t.equal(await use(access_token), 401)
  for (const fields of [
    { grant_type: grants.refresh, refresh_token },
    { grant_type: grants.own },
    { grant_type: grants.exchange, subject_token: await idToken() },
  ])
    t.equal((await ask(fields)).json<{ error: string }>().error, 'not_installed')
  await demo.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  t.equal((await refresh(refresh_token)).json<{ error: string }>().error, 'invalid_grant')
  t.equal(await use((await own()).access_token), 200)
})
