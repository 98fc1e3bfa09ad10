import t from 'tap'
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { refusal, Refused, startEngine } from '../support/engine.ts'
import { seedStore } from '../support/seeds.ts'
import { firstShop, secondShop, sessionSecret } from '../support/small-shop.ts'
import { like } from '../support/like.ts'

const { engine, shop, db, now, call, token, close } = await startEngine()
t.teardown(close)
const signIn = async (
  claims?: Record<string, unknown>,
  options?: Parameters<typeof shop.idToken>[1],
) => call('auth', { body: { idToken: await shop.idToken(claims, options) } })

t.test('a first sign-in makes the store, ready to be used, and a second finds it', async t => {
  const info = await call('storeInfo', {})
  t.match(info, {
    shop: firstShop,
    name: 'Fern & Kiln',
    currency: 'USD',
    timeZone: 'America/New_York',
    onboarded: true,
    hasSubscribed: true,
    status: 'installed',
    storeInitials: 'FK',
    isDemo: false,
    features: ['PriceTesting', 'DomTesting'],
  })
  const again = await signIn()
  t.equal((await call('storeInfo', {}, again.token)).id, info.id)
  const status = await call('storeStatus', {})
  t.match(status, {
    sessions: 0,
    sessionLimit: 100_000,
    subscriptionStatus: 'Active',
    pendingPlan: null,
  })
  t.ok(Date.parse(status.usageReset!) > now.at.getTime())
  t.equal((await call('plans', {})).filter(plan => plan.available).length, 36)
})

t.test('the script is published at the first sign-in, without tests', t => {
  t.equal(shop.scripts.length, 1)
  t.match(shop.scripts[0], `shop:"${firstShop}"`)
  t.match(shop.scripts[0], 'tests:[]')
  t.end()
})

t.test('sign-in tokens that are not the platform’s own and fresh are refused', async t => {
  const seconds = Math.floor(Date.now() / 1000)
  const unsigned = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const good = await shop.idToken()
  const attacks: Record<string, string> = {
    'signed with another secret': await shop.idToken(
      {},
      { secret: 'another-secret-of-some-length' },
    ),
    'signed with our own session secret': await shop.idToken({}, { secret: sessionSecret }),
    'another algorithm': await shop.idToken({}, { alg: 'HS512' }),
    'alg none': `${unsigned({ alg: 'none' })}.${good.split('.')[1]}.`,
    'alg none, signature kept': `${unsigned({ alg: 'none' })}.${good.split('.').slice(1).join('.')}`,
    'another app': await shop.idToken({ aud: 'another-app' }),
    expired: await shop.idToken({ exp: seconds - 11, iat: seconds - 71, nbf: seconds - 71 }),
    'not yet': await shop.idToken({ iat: seconds + 290, nbf: seconds + 300, exp: seconds + 330 }),
    'no end': await shop.idToken({ exp: undefined }),
    'longer than a minute': await shop.idToken({ exp: seconds + 3600 }),
    'issuer and shop differ': await shop.idToken({ dest: `https://${secondShop}` }),
    'shop of another platform': await shop.idToken({
      iss: 'https://evil.test',
      dest: 'https://evil.test',
    }),
    'shop with a path': await shop.idToken({
      iss: `https://${firstShop}/x`,
      dest: `https://${firstShop}/x`,
    }),
    'an access token of ours': token,
    'payload changed': good.replace(
      /\.[^.]+\./,
      `.${unsigned({ iss: `https://${secondShop}`, dest: `https://${secondShop}` })}.`,
    ),
    'not a token': 'x',
  }
  for (const [name, idToken] of Object.entries(attacks))
    await t.rejects(call('auth', { body: { idToken } }), like({ status: 401 }), name)
})

t.test('bearers that are not an access token of ours and in time are refused', async t => {
  const { refreshToken } = await signIn()
  const { storeId } = (await authTokens([sessionSecret], () => now.at).readAccess(token))!
  const preview = await authTokens([sessionSecret], () => now.at).preview({
    storeId,
    of: 'draft',
    id: storeId,
    arm: 0,
  })
  const [header, payload] = token.split('.')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const hs512 = Buffer.from('{"alg":"HS512","typ":"JWT"}').toString('base64url')
  const attacks = {
    nothing: '',
    'a refresh token': refreshToken,
    'a preview token': preview,
    'an id token': await shop.idToken(),
    'alg none': `${none}.${payload}.`,
    'alg none with a signature': `${none}.${payload}.${token.split('.')[2]}`,
    'another algorithm over our secret': `${hs512}.${payload}.${createHmac('sha512', sessionSecret).update(`${hs512}.${payload}`).digest('base64url')}`,
    'signed by another': `${header}.${payload}.${createHmac('sha256', 'x'.repeat(32)).update(`${header}.${payload}`).digest('base64url')}`,
  }
  for (const [name, bearer] of Object.entries(attacks))
    await t.rejects(call('storeInfo', {}, bearer), like({ status: 401 }), name)
  const late = now.at
  now.at = new Date(late.getTime() + 10 * 60_000 + 1_000)
  await t.rejects(call('storeInfo', {}, token), like({ status: 401 }), 'ten minutes later')
  now.at = late
  t.ok(await call('storeInfo', {}, token))
})

t.test('a refresh token is used up; the old one is good for a minute more', async t => {
  const begun = now.at
  const first = await signIn()
  const second = await call('auth', { body: { refreshToken: first.refreshToken } })
  t.not(second.refreshToken, first.refreshToken)
  t.ok(await call('storeInfo', {}, second.token))
  now.at = new Date(begun.getTime() + 59_000)
  const inGrace = await call('auth', { body: { refreshToken: first.refreshToken } })
  t.ok(inGrace.token, 'a lost reply may be asked for again')
  now.at = new Date(begun.getTime() + 61_000)
  await t.rejects(
    call('auth', { body: { refreshToken: first.refreshToken } }),
    like({ status: 401 }),
    'the grace is not extended by its use',
  )
  await t.rejects(
    call('auth', { body: { refreshToken: inGrace.refreshToken } }),
    like({ status: 401 }),
    'what came of it has ended with it',
  )
  await t.rejects(
    call('auth', { body: { refreshToken: second.refreshToken } }),
    like({ status: 401 }),
    'in both windows',
  )
  const alone = await signIn()
  now.at = new Date(now.at.getTime() + 31 * 86_400_000)
  await t.rejects(
    call('auth', { body: { refreshToken: alone.refreshToken } }),
    like({ status: 401 }),
    'thirty days later',
  )
  now.at = begun
  for (const refreshToken of [
    '',
    'x',
    `${first.refreshToken}x`,
    first.refreshToken.replace(/^[^.]+/, '00000000-0000-4000-8000-000000000000'),
    first.token,
  ])
    await t.rejects(call('auth', { body: { refreshToken } }), like({ status: 401 }))
})

t.test(
  'a used-up token that comes back ends its own sign-in, through any number of renewals, and no other',
  async t => {
    const begun = now.at
    const [mine, other] = [await signIn(), await signIn()]
    let newest = mine
    for (let i = 0; i < 3; i++) {
      newest = await call('auth', { body: { refreshToken: newest.refreshToken } })
      now.at = new Date(now.at.getTime() + 61_000)
    }
    t.ok(await call('auth', { body: { refreshToken: newest.refreshToken } }), 'the owner goes on')
    await t.rejects(
      call('auth', { body: { refreshToken: mine.refreshToken } }),
      like({ status: 401 }),
      'the first comes back',
    )
    await t.rejects(
      call('auth', { body: { refreshToken: newest.refreshToken } }),
      like({ status: 401 }),
      'the owner signs in again',
    )
    t.ok(
      await call('auth', { body: { refreshToken: other.refreshToken } }),
      'another browser of the store goes on',
    )
    const [storeId, familyId] = other.refreshToken.split('.')
    await t.rejects(
      call('auth', { body: { refreshToken: `${storeId}.${familyId}x.${'a'.repeat(43)}` } }),
      like({ status: 401 }),
    )
    now.at = begun
  },
)

// PGlite has one connection: nothing comes between the statements of a transaction.
const onPostgres = { skip: Boolean(db.pglite) && 'for Postgres, where a renewal may be half way' }
t.test('a family that ends takes a renewal with it that is half way', onPostgres, async t => {
  const begun = now.at
  const { refreshToken } = await signIn()
  const [storeId, familyId] = refreshToken.split('.')
  await call('auth', { body: { refreshToken } })
  now.at = new Date(begun.getTime() + 61_000)
  const { ended } = await db.kysely.transaction().execute(async trx => {
    // As a renewal does, with its look at the family behind it.
    await sql`select 1 from stores where store_id = ${storeId} for share`.execute(trx)
    const ended = refusal(call('auth', { body: { refreshToken } })),
      isOver = ended.then(() => true)
    const isWaiting = async () =>
      (
        await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db.kysely,
        )
      ).rows.length > 0
    while (!(await Promise.race([isOver, isWaiting()])));
    await sql`insert into refresh_tokens (store_id, token_hash, family_id, expires_at)
      values (${storeId}, 'of-the-renewal', ${familyId}, ${new Date(now.at.getTime() + 1_000_000)})`.execute(
      trx,
    )
    return { ended }
  })
  t.equal((await ended).status, 401)
  t.same(
    await db.kysely
      .selectFrom('refresh_tokens')
      .select('token_hash')
      .where('family_id', '=', familyId!)
      .execute(),
    [],
  )
  now.at = begun
})

t.test(
  'all sessions of a store end at once when it says so, and those of others go on',
  async t => {
    const [one, two, foreign] = [
      await signIn(),
      await signIn(),
      await seedStore(db, { shop: secondShop }),
    ]
    const { id } = await call('storeInfo', {}, one.token)
    t.equal(
      (await refusal(call('endSessions', { params: { id: foreign } }, one.token))).status,
      404,
    )
    t.same(await call('endSessions', { params: { id } }, one.token), { ok: true })
    for (const { token, refreshToken } of [one, two]) {
      await t.rejects(call('storeInfo', {}, token), like({ status: 401 }))
      await t.rejects(call('auth', { body: { refreshToken } }), like({ status: 401 }))
      await t.rejects(
        call('lastUninstall', { params: { id } }, token),
        like({ status: 401 }),
        'nobody was uninstalled',
      )
    }
    const again = await signIn()
    t.equal((await call('storeInfo', {}, again.token)).id, id)
    t.match(
      await db.kysely
        .selectFrom('stores')
        .select('session_number')
        .where('store_id', '=', foreign)
        .executeTakeFirst(),
      { session_number: 0 },
    )
  },
)

t.test('a refresh that meets the end of all sessions is refused, or ends with them', async t => {
  for (let i = 0; i < 12; i++) {
    const own = await signIn(),
      { id } = await call('storeInfo', {}, own.token)
    // The end comes after so many turns of the loop.
    const later = async () => {
      for (let turn = 0; turn < i; turn++) await new Promise(resolve => setImmediate(resolve))
    }
    const [renewed] = await Promise.allSettled([
      call('auth', { body: { refreshToken: own.refreshToken } }),
      later().then(() => call('endSessions', { params: { id } }, own.token)),
    ])
    if (renewed.status === 'rejected') continue
    await t.rejects(
      call('storeInfo', {}, renewed.value.token),
      like({ status: 401 }),
      `after ${i} turns`,
    )
    await t.rejects(
      call('auth', { body: { refreshToken: renewed.value.refreshToken } }),
      like({ status: 401 }),
      `after ${i} turns`,
    )
  }
})

t.test('two windows that refresh at the same moment both go on', async t => {
  const { refreshToken } = await signIn()
  const both = await Promise.all([
    call('auth', { body: { refreshToken } }),
    call('auth', { body: { refreshToken } }),
  ])
  for (const { token } of both) t.ok(await call('storeInfo', {}, token))
})

t.test('only hashes are stored', async t => {
  const { refreshToken } = await signIn()
  const rows = await db.kysely.selectFrom('refresh_tokens').selectAll().execute()
  t.notMatch(JSON.stringify(rows), refreshToken.split('.').at(-1)!)
})

t.test('many first sign-ins at once make one store', async t => {
  await db.kysely.deleteFrom('stores').execute()
  const all = await Promise.all(Array.from({ length: 5 }, () => signIn()))
  const ids = await Promise.all(all.map(async one => (await call('storeInfo', {}, one.token)).id))
  t.equal(new Set(ids).size, 1)
})

t.test('input that is not as declared is refused at its field', async t => {
  const post = (payload: unknown, headers = {}) =>
    engine.app.inject({ method: 'POST', url: '/auth', payload: payload as object, headers })
  t.match((await post({ idToken: 5 })).json(), {
    message: /idToken/,
    fields: [{ field: 'idToken' }],
  })
  t.equal((await post({ idToken: 'a', refreshToken: 'b' })).statusCode, 400)
  t.equal((await post('{', { 'content-type': 'application/json' })).statusCode, 400)
  t.equal(
    (await post('idToken=x', { 'content-type': 'application/x-www-form-urlencoded' })).statusCode,
    415,
  )
  t.equal((await post('{}', { 'content-type': 'text/plain' })).statusCode, 415)
  t.equal((await post({ idToken: 'x'.repeat(300_000) })).statusCode, 413)
})

t.test('a shop that cannot be reached is said so, and no store is made', async t => {
  await db.kysely.deleteFrom('stores').execute()
  shop.isDown = true
  await t.rejects(signIn(), new Refused(502, { message: 'The shop answered 503.' }))
  shop.isDown = false
  t.equal((await db.kysely.selectFrom('stores').select('shop').execute()).length, 0)
})
