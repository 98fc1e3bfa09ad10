import { sql } from 'kysely'
import t from 'tap'
import { sealOf } from '../../../engine/session/seal.ts'
import { startEngine } from '../support/engine.ts'
import { sessionSecret } from '../support/small-shop.ts'
import { googleStandIn } from '../support/google-stand-in.ts'
import { like } from '../support/like.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { beacon, browser, collect, event, visitorIn } from '../support/traffic.ts'

const minute = 60_000,
  hour = 60 * minute
const google = await googleStandIn()
const newSecret = 'a-newer-secret-of-this-test'
const started = await startEngine(
  {},
  { SECRETS: newSecret, ...google.env, GTM_ID: 'GTM-AB12CD', SEGMENT_WRITE_KEY: 'key123' },
)
const { engine, db, shop, now, call } = started
t.teardown(async () => {
  await started.close()
  await google.close()
})
const { id: storeId } = await call('storeInfo', {})
const none = { gaSettings: {}, gaAccounts: {} } as const

/**
 * Connects as the merchant does: goes to Google, answers there, and returns with a code and state,
 * which the app passes to `finishGa`.
 */
async function connect(choice?: Parameters<typeof google.granted>[1]) {
  const { url } = (await call('connectGa', {}))!
  return call('finishGa', { body: google.granted(url, choice) })
}
const settings = () => call('gaSettings', {})

t.test(
  'before a connection there are no settings, and calls that need a connection say so',
  async t => {
    await t.rejects(call('gaSettings', none.gaSettings), like({ status: 404 }))
    await t.rejects(call('gaAccounts', none.gaAccounts), like({ status: 401 }))
    await t.rejects(
      call('gaMeasurementIds', { query: { propertyId: '2000' } }),
      like({ status: 401 }),
    )
    await t.rejects(
      call('setGaProperty', { body: { accountId: '1000', propertyId: '2000' } }),
      like({ status: 409 }),
    )
    await t.rejects(call('enableGa', {}), like({ status: 409 }))
    await t.rejects(call('disableGa', {}), like({ status: 409 }))
    t.same(await call('disconnectGa', {}), { ok: true })
    t.same(await call('about', {}), {
      ...(await call('about', {})),
      google: { analytics: { gtm: 'GTM-AB12CD' } },
      segment: { writeKey: 'key123' },
    })
  },
)

t.test(
  'a merchant who gives half the permissions is not connected; a forged, old or used consent is refused',
  async t => {
    await t.rejects(
      connect({ scopes: ['https://www.googleapis.com/auth/analytics.readonly'] }),
      like({ status: 409 }),
    )
    t.equal(google.revoked.length, 1, 'the access is given back')
    const { url } = (await call('connectGa', {}))!
    t.equal(new URL(url).searchParams.get('redirect_uri'), 'https://app.example.test/ga/callback')
    const good = google.granted(url)
    const [head, , mark] = good.state.split('.')
    const forged = `${head}.${Buffer.from(JSON.stringify({ sub: storeId, nonce: 'x', iss: 'twinshelf', aud: 'twinshelf:ga-connect', exp: 9e9 })).toString('base64url')}.${mark}`
    const finish = (code: string, state: string, token?: string) =>
      call('finishGa', { body: { code, state } }, token)
    for (const wrong of [forged, 'x', '', started.token])
      await t.rejects(finish('1', wrong), like({ status: 400 }), 'forged')
    for (const code of ['', 'x'.repeat(2049)])
      await t.rejects(
        finish(code, good.state),
        like({ status: 400, problem: { fields: [{ field: 'code' }] } }),
      )
    now.at = new Date(now.at.getTime() + 11 * minute)
    const { token: later } = await call('auth', { body: { idToken: await shop.idToken() } })
    await t.rejects(
      finish(good.code, good.state, later),
      like({ status: 400, problem: { message: /older than ten minutes/ } }),
      'a consent that is eleven minutes old',
    )
    now.at = new Date(now.at.getTime() - 11 * minute)
    await t.rejects(
      finish('another', good.state),
      like({ status: 400, problem: { message: /Google does not know/ } }),
    )
    google.instead.push({ path: '/token', status: 'hang up' })
    await t.rejects(finish(good.code, good.state), like({ status: 502 }))
    await t.rejects(settings(), like({ status: 404 }))
  },
)

t.test(
  'after connecting, Google’s accounts, properties and streams are listed, and the stored tokens are sealed',
  async t => {
    const fresh = {
      accountId: null,
      propertyId: null,
      measurementIds: [],
      enabled: false,
      measurementId: null,
      connected: true,
      problem: null,
    }
    t.same(await connect(), fresh)
    t.same(await settings(), fresh)
    t.same(await call('gaAccounts', {}), [
      {
        accountId: '1000',
        name: 'Fern & Kiln',
        properties: [
          { propertyId: '2000', name: 'Shop' },
          { propertyId: '2001', name: 'App only' },
        ],
      },
      { accountId: '1001', name: 'No property yet', properties: [] },
    ])
    t.same(await call('gaMeasurementIds', { query: { propertyId: '2000' } }), [
      { measurementId: 'G-BLOG', name: 'Blog', url: 'https://blog.example' },
      { measurementId: 'G-SHOP', name: 'Shop', url: 'https://fern-and-kiln.demo-shop.test' },
    ])
    const {
      rows: [row],
    } = await sql<{
      refresh: Uint8Array
      all: string
    }>`select refresh_token as refresh, a::text as all from analytics_settings a`.execute(db.kysely)
    const [grant] = [...google.grants]
    t.ok(grant && !Buffer.from(row!.refresh).includes(grant.slice(3)))
    const seal = sealOf(['a secret of this test alone'])
    t.equal(seal.open(storeId, seal.close(storeId, 'token')), 'token')
    t.equal(seal.open(storeId, row!.refresh), null, 'another secret does not open it')
    t.equal(
      seal.open('another-store', seal.close(storeId, 'token')),
      null,
      'another store does not open it',
    )
  },
)

t.test(
  'refusals, throttling, hang-ups and expired tokens of Google give the right errors',
  async t => {
    for (const [status, expected] of [
      [403, 403],
      [429, 503],
      [500, 502],
      ['hang up', 502],
      [418, 502],
    ] as const) {
      google.instead.push({ path: '/v1beta/accountSummaries', status })
      await t.rejects(call('gaAccounts', {}), like({ status: expected }), String(status))
    }
    await t.rejects(
      call('gaMeasurementIds', { query: { propertyId: '3000' } }),
      like({ status: 403 }),
    )
    google.instead.push({ path: '/v1beta/accountSummaries', status: 401 })
    t.equal((await call('gaAccounts', {}))!.length, 2, 'a token that expired early is renewed once')
    now.at = new Date(now.at.getTime() + hour)
    google.calls.length = 0
    const { token } = await call('auth', { body: { idToken: await shop.idToken() } })
    await Promise.all([1, 2, 3].map(() => call('gaAccounts', {}, token)))
    t.equal(
      google.calls.filter(line => line === 'POST /token').length,
      1,
      'three calls that need a new token at once share one renewal',
    )
    // The token is sealed with the old secret, as before a new one was put first in SECRETS.
    await db.kysely
      .updateTable('analytics_settings')
      .set({
        refresh_token: sealOf([sessionSecret]).close(storeId, [...google.grants][0]!),
        access_token: null,
      })
      .execute()
    t.equal((await call('gaAccounts', {}, token))!.length, 2)
    const { refresh_token: resealed } = await db.kysely
      .selectFrom('analytics_settings')
      .select('refresh_token')
      .executeTakeFirstOrThrow()
    t.equal(
      sealOf([newSecret]).open(storeId, resealed!),
      [...google.grants][0],
      'the next write seals it with the newest secret',
    )
    now.at = new Date(now.at.getTime() - hour)
  },
)

t.test(
  'an unknown property is refused at its field; switching on creates one secret, for the stream of the shop',
  async t => {
    const choose = (accountId: string, propertyId: string) =>
      call('setGaProperty', { body: { accountId, propertyId } })
    await t.rejects(
      choose('9', '2000'),
      like({ status: 400, problem: { fields: [{ field: 'accountId' }] } }),
    )
    await t.rejects(
      choose('1000', '9'),
      like({ status: 400, problem: { fields: [{ field: 'propertyId' }] } }),
    )
    await t.rejects(choose('1000', 'x'), like({ status: 400 }))
    await t.rejects(call('enableGa', {}), like({ status: 409 }), 'no property yet')
    t.match(await choose('1000', '2001'), { propertyId: '2001', measurementIds: [] })
    await t.rejects(call('enableGa', {}), like({ status: 409 }), 'no web stream')
    t.match(await choose('1000', '2000'), {
      accountId: '1000',
      propertyId: '2000',
      measurementIds: ['G-BLOG', 'G-SHOP'],
      enabled: false,
    })
    google.instead.push({ path: 'measurementProtocolSecrets', status: 400 })
    await t.rejects(
      call('enableGa', {}),
      like({ status: 409, problem: { message: 'Google says: As asked: 400' } }),
    )
    t.match(await call('enableGa', {}), { enabled: true, measurementId: 'G-SHOP' })
    await call('disableGa', {})
    t.match(await call('enableGa', {}), { enabled: true })
    t.equal(google.secrets.length, 1, 'switching off and on keeps the same secret')
  },
)

t.test(
  'exposures after switching on are sent once, in Google’s format and without bots; failures are sent again',
  async t => {
    const testId = await seedTest(db, storeId, { start_at: new Date(now.at.getTime() - hour) })
    await call('disableGa', {})
    const meet = async (name: string, arm: 0 | 1, times: number, agent = browser) => {
      const visitor = visitorIn(testId, arm, name),
        at = now.at.getTime()
      const events = Array.from({ length: times }, (_, i) =>
        event('exposure', at - times + i, [testId]),
      )
      const { statusCode } = await collect(
        engine.app,
        beacon(visitor, { [testId]: [arm, 7] }, [...events, event('view', at)], { sent: at }),
        { 'user-agent': agent, origin: shop.origin },
      )
      if (statusCode >= 300) throw new Error(String(statusCode))
      return visitor
    }
    await meet('before', 0, 1)
    await call('enableGa', {})
    await engine.sendExposures()
    t.same(google.collected, [], 'earlier exposures are not sent')

    const [one, two] = [await meet('one', 0, 1), await meet('two', 1, 30)]
    await meet('bot', 0, 1, 'Googlebot/2.1')
    google.instead.push({ path: '/mp/collect', status: 503 })
    await engine.sendExposures()
    t.match(await settings(), { enabled: true, problem: /sent again later/ })
    await engine.sendExposures()
    const soFar = google.collected.length
    now.at = new Date(now.at.getTime() + 6_000)
    await engine.sendExposures()
    t.ok(google.collected.length > soFar, 'it is sent again after a wait')
    t.match(await settings(), { problem: null })
    for (const { measurement_id, api_secret, body } of google.collected) {
      t.same([measurement_id, api_secret], ['G-SHOP', google.secrets[0]!.secretValue])
      t.ok(body.events.length <= 25)
      t.same(body.consent, { ad_user_data: 'DENIED', ad_personalization: 'DENIED' })
    }
    const last = google.collected.slice(soFar)
    t.same(new Set(last.map(({ body }) => body.client_id)), new Set([one, two]))
    t.equal(
      last
        .filter(({ body }) => body.client_id === two)
        .reduce((n, { body }) => n + body.events.length, 0),
      30,
    )
    t.match(last.find(({ body }) => body.client_id === one)!.body.events, [
      {
        name: 'experience_impression',
        params: {
          exp_variant_string: `twinshelf-${testId}-control`,
          test_id: testId,
          arm: 'control',
        },
      },
    ])
    const { timestamp_micros } = last.find(({ body }) => body.client_id === one)!.body.events[0]!
    t.ok(Math.abs(timestamp_micros / 1000 - now.at.getTime()) < minute)
    const all = google.collected.length
    await engine.sendExposures()
    t.equal(google.collected.length, all, 'exposures that Google accepted are not sent again')

    await meet('old', 0, 1)
    now.at = new Date(now.at.getTime() + 73 * hour)
    await engine.sendExposures()
    t.equal(
      google.collected.length,
      all,
      'exposures older than three days are not sent, because Google refuses them',
    )
    now.at = new Date(now.at.getTime() - 73 * hour)
  },
)

t.test('a store with very many exposures does not keep the next one waiting', async t => {
  const other = await seedStore(db, { shop: 'next-shop.demo-shop.test' })
  await sql`insert into analytics_settings (store_id, measurement_ids, measurement_id, api_secret, enabled, sent_to, next_attempt_at, connected_at)
    select ${other}, '[]', 'G-NEXT', ${sealOf([newSecret]).close(other, 'their-secret')}, true, 0, ${now.at}, ${now.at}`.execute(
    db.kysely,
  )
  const copies = (store: string, count: number) =>
    sql`insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests)
      select ${store}, e.day, 'copy-' || n, ${now.at}, 0, 0, 0, false, true, 'visitor-of-many', e.session_id, '/', e.claims, e.tests
      from (select * from events where kind = 0 and set_aside = 0 limit 1) e, generate_series(1, ${count}::int) n`.execute(
      db.kysely,
    )
  await copies(storeId, 1_600)
  await copies(other, 1)
  google.collected.length = 0
  await engine.sendExposures()
  const sent = google.collected.map(({ measurement_id }) => measurement_id)
  t.equal(sent.filter(id => id === 'G-NEXT').length, 1)
  t.equal(
    google.collected.reduce((sum, { body }) => sum + body.events.length, 0),
    1_601,
    'all of it is sent in the end',
  )
  t.ok(sent.indexOf('G-NEXT') <= 40, 'after five pages, not after eight')
  t.equal(sent.at(-1), 'G-SHOP')
  await sql`delete from stores where store_id = ${other}`.execute(db.kysely)
})

t.test('without the right plan, calls are refused and nothing is sent', async t => {
  const on = (plan: string, status = 'Active') =>
    sql`update stores set plan_id = ${plan}, subscription_status = ${status} where store_id = ${storeId}`.execute(
      db.kysely,
    )
  for (const [plan, status] of [
    ['core-100k-monthly', 'Active'],
    ['grandfathered', 'Active'],
    ['advanced-100k-monthly', 'Frozen'],
  ] as const) {
    await on(plan, status)
    for (const name of ['connectGa', 'gaAccounts', 'enableGa'] as const)
      await t.rejects(Promise.resolve(call(name, {})), like({ status: 403 }), `${plan}, ${status}`)
  }
  await engine.sendExposures()
  t.match(
    await settings(),
    { problem: 'The plan no longer includes Google Analytics.' },
    'the settings can still be seen',
  )
  await sql`update stores set feature_flags = '["Ga4Integration"]', plan_id = 'grandfathered', subscription_status = 'Active' where store_id = ${storeId}`.execute(
    db.kysely,
  )
  t.equal((await call('gaAccounts', {}))!.length, 2, 'an old plan with the feature flag')
  await on('advanced-100k-monthly')
})

t.test(
  'access revoked at Google ends the connection; disconnecting revokes it; another store sees none of this',
  async t => {
    const grants = [...google.grants]
    google.grants.clear()
    google.instead.push({ path: '/v1beta/accountSummaries', status: 401 })
    await t.rejects(call('gaAccounts', {}), like({ status: 401 }))
    t.match(await settings(), { connected: false, enabled: false, propertyId: '2000' })
    await t.rejects(call('enableGa', {}), like({ status: 409 }))
    t.match(await connect(), { connected: true })
    t.match(
      await settings(),
      { connected: true, propertyId: '2000' },
      'after a new connection the choice is still there',
    )
    t.notOk(grants.includes([...google.grants][0]!))

    const other = await seedStore(db, { shop: 'other-shop.demo-shop.test' })
    t.equal(
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from analytics_settings where store_id = ${other}`.execute(
          db.kysely,
        )
      ).rows[0]!.n,
      0,
    )
    google.instead.push({ path: '/revoke', status: 500 })
    await t.rejects(call('disconnectGa', {}), like({ status: 502 }))
    t.match(
      await settings(),
      { enabled: false, connected: true },
      'the access stays stored until Google has revoked it',
    )
    const [grant] = [...google.grants]
    await call('disconnectGa', {})
    t.equal(google.revoked.at(-1), grant)
    await t.rejects(settings(), like({ status: 404 }))
  },
)

t.test('a consent that began in one store connects no other store', async t => {
  const theirs = 'other-shop.demo-shop.test'
  const { token: attacker } = await call('auth', {
    body: { idToken: await shop.idToken({ iss: `https://${theirs}`, dest: `https://${theirs}` }) },
  })
  await sql`update stores set plan_id = 'advanced-100k-monthly', subscription_status = 'Active', has_subscribed = true where shop = ${theirs}`.execute(
    db.kysely,
  )
  const { url } = (await call('connectGa', {}, attacker))!
  // Our merchant follows a link from another store's merchant and gives consent at Google.
  const brought = google.granted(url)
  await t.rejects(
    call('finishGa', { body: brought }),
    like({ status: 400, problem: { message: /not begun in this store/ } }),
  )
  t.equal(
    (await sql`select 1 from analytics_settings`.execute(db.kysely)).rows.length,
    0,
    'neither store is connected',
  )
})

t.test('an uninstall also revokes our access, as soon as Google answers', async t => {
  await connect()
  const [grant] = [...google.grants]
  await sql`update stores set status = 'uninstalled' where store_id = ${storeId}`.execute(db.kysely)
  google.instead.push({ path: '/revoke', status: 'hang up' })
  const left = async () =>
    (await sql`select store_id from analytics_settings`.execute(db.kysely)).rows.length
  await engine.sendExposures()
  t.equal(await left(), 1)
  now.at = new Date(now.at.getTime() + minute)
  await engine.sendExposures()
  t.equal(await left(), 0)
  t.equal(google.revoked.at(-1), grant)
})

t.test('an installation without a Google client says so', async t => {
  const bare = await startEngine()
  t.teardown(bare.close)
  await t.rejects(
    bare.call('connectGa', {}),
    like({ status: 404, problem: { message: /not set up on this installation/ } }),
  )
  await t.rejects(bare.call('finishGa', { body: { code: '1', state: 'x' } }), like({ status: 400 }))
  t.same((await bare.call('about', {})).google, { analytics: { gtm: null } })
})
