import t from 'tap'
import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
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

t.test('the first sign-in creates the store, ready for use, and a second one finds it', async t => {
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

t.test('the script is published at the first sign-in, without tests', async t => {
  // On a busy machine the sign-in leaves the publication to the next look for scripts.
  while (shop.scripts.length === 0) await setTimeout(20)
  t.match(shop.scripts.at(-1), `shop:"${firstShop}"`)
  t.match(shop.scripts.at(-1), 'tests:[]')
})

t.test('forged, foreign or old sign-in tokens of the platform are refused', async t => {
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

t.test('a sign-in token of the platform can be used once, in whatever process', async t => {
  const idToken = await shop.idToken()
  const twice = await Promise.allSettled([
    call('auth', { body: { idToken } }),
    call('auth', { body: { idToken } }),
  ])
  t.same(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const used = new Refused(401, { message: 'The sign-in token was used already.' })
  await t.rejects(call('auth', { body: { idToken } }), used)
  const other = await startEngine({ db })
  t.teardown(other.close)
  await t.rejects(other.call('auth', { body: { idToken } }), used, 'another engine')
  const inOther = await shop.idToken()
  t.ok(await other.call('auth', { body: { idToken: inOther } }))
  await t.rejects(call('auth', { body: { idToken: inOther } }), used)
  const rows = await db.kysely.selectFrom('used_id_tokens').selectAll().execute()
  t.ok(rows.length > 0)
  const { jti } = JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString()) as {
    jti: string
  }
  t.notMatch(JSON.stringify(rows), jti, 'only a hash is stored')
  await db.kysely
    .updateTable('used_id_tokens')
    .set({ expires_at: new Date(0) })
    .execute()
  await signIn()
  t.equal(
    (await db.kysely.selectFrom('used_id_tokens').selectAll().execute()).length,
    1,
    'tokens that have expired are forgotten',
  )
})

t.test('a session belongs to one user and ends after a day, whatever is renewed', async t => {
  const begun = now.at,
    end = begun.getTime() + 24 * 3_600_000
  const [mine, theirs] = [await signIn(), await signIn({ sub: '8' })]
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      user: string
      exp: number
    }
  t.equal(claimsOf(mine.token).user, '7')
  t.equal(claimsOf(theirs.token).user, '8')
  let newest = mine
  for (const minutes of [1, 600, 1_200, 1_435]) {
    now.at = new Date(begun.getTime() + minutes * 60_000)
    newest = await call('auth', { body: { refreshToken: newest.refreshToken } })
    t.equal(Date.parse(newest.refreshExpiresAt), end)
    t.equal(claimsOf(newest.token).user, '7')
    t.ok(await call('storeInfo', {}, newest.token))
  }
  t.equal(Date.parse(newest.expiresAt), end, 'five minutes are left for the last token')
  const renewed = await call('auth', { body: { refreshToken: theirs.refreshToken } })
  t.equal(claimsOf(renewed.token).user, '8', 'a session of their own')
  now.at = new Date(end + 1_000)
  await t.rejects(call('storeInfo', {}, newest.token), like({ status: 401 }))
  for (const { refreshToken } of [newest, renewed])
    await t.rejects(call('auth', { body: { refreshToken } }), like({ status: 401 }))
  now.at = begun
})

t.test('bearer tokens that are not our own valid access tokens are refused', async t => {
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

t.test('a refresh token can be used once, and again for one more minute', async t => {
  const begun = now.at
  const first = await signIn()
  const second = await call('auth', { body: { refreshToken: first.refreshToken } })
  t.not(second.refreshToken, first.refreshToken)
  t.ok(await call('storeInfo', {}, second.token))
  now.at = new Date(begun.getTime() + 59_000)
  const inGrace = await call('auth', { body: { refreshToken: first.refreshToken } })
  t.ok(inGrace.token, 'a lost answer can be requested again')
  now.at = new Date(begun.getTime() + 61_000)
  await t.rejects(
    call('auth', { body: { refreshToken: first.refreshToken } }),
    like({ status: 401 }),
    'using the old token does not extend the minute',
  )
  await t.rejects(
    call('auth', { body: { refreshToken: inGrace.refreshToken } }),
    like({ status: 401 }),
    'the session from its second use has ended too',
  )
  await t.rejects(
    call('auth', { body: { refreshToken: second.refreshToken } }),
    like({ status: 401 }),
    'and the session of the other window',
  )
  const alone = await signIn()
  now.at = new Date(now.at.getTime() + 86_400_000 + 1_000)
  await t.rejects(
    call('auth', { body: { refreshToken: alone.refreshToken } }),
    like({ status: 401 }),
    'a day later',
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
  'reusing an old token ends its own sign-in, even after many renewals, and no other',
  async t => {
    const begun = now.at
    const [mine, other] = [await signIn(), await signIn()]
    let newest = mine
    for (let i = 0; i < 3; i++) {
      newest = await call('auth', { body: { refreshToken: newest.refreshToken } })
      now.at = new Date(now.at.getTime() + 61_000)
    }
    t.ok(
      await call('auth', { body: { refreshToken: newest.refreshToken } }),
      'the newest token works',
    )
    await t.rejects(
      call('auth', { body: { refreshToken: mine.refreshToken } }),
      like({ status: 401 }),
      'the first token is used again',
    )
    await t.rejects(
      call('auth', { body: { refreshToken: newest.refreshToken } }),
      like({ status: 401 }),
      'then the newest token has ended too',
    )
    t.ok(
      await call('auth', { body: { refreshToken: other.refreshToken } }),
      'another browser of the store stays signed in',
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
  'endSessions ends all sessions of a store at once, and no sessions of other stores',
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
        'no uninstall allows an old token',
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

t.test('a refresh during the end of all sessions is refused, or its session ends too', async t => {
  for (let i = 0; i < 12; i++) {
    const own = await signIn(),
      { id } = await call('storeInfo', {}, own.token)
    // All sessions end after `i` turns of the event loop.
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

t.test('two windows that refresh at the same moment both stay signed in', async t => {
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

t.test('many first sign-ins at the same time create one store', async t => {
  await db.kysely.deleteFrom('stores').execute()
  const all = await Promise.all(Array.from({ length: 5 }, () => signIn()))
  const ids = await Promise.all(all.map(async one => (await call('storeInfo', {}, one.token)).id))
  t.equal(new Set(ids).size, 1)
})

t.test('invalid input is refused at its field', async t => {
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

t.test('a shop that cannot be reached is an error, and no store is created', async t => {
  await db.kysely.deleteFrom('stores').execute()
  shop.isDown = true
  await t.rejects(signIn(), new Refused(502, { message: 'The shop answered 503.' }))
  shop.isDown = false
  t.equal((await db.kysely.selectFrom('stores').select('shop').execute()).length, 0)
  const idToken = await shop.idToken()
  shop.isDown = true
  await t.rejects(call('auth', { body: { idToken } }), like({ status: 502 }))
  shop.isDown = false
  t.ok(await call('auth', { body: { idToken } }), 'the page with this token can be loaded again')
})
