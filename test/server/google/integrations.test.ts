import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { appConfig } from '../../../server/config.ts'
import { buildApp } from '../../../server/app.ts'
import { googleStandIn } from '../../engine/support/google-stand-in.ts'
import { seedStore } from '../../engine/support/seeds.ts'
import { firstShop, secondShop } from '../../engine/support/small-shop.ts'
import { startMerchant, textOf } from '../support/merchant.ts'

const google = await googleStandIn()
const merchant = await startMerchant({
  engine: { ...google.env, PUBLIC_ORIGIN: 'http://localhost:3000' },
  timeouts: { firstWait: 5, longestWait: 10 },
})
const {
  engine,
  engine: { shop, db, now },
  app,
  get,
  post,
  call,
} = merchant
t.teardown(async () => {
  await merchant.close()
  await google.close()
})
const page = '/settings/integrations',
  act = (name: string) => `${page}/google-analytics/${name}`
const inAdmin = (query = '') => `${shop.origin}/admin/apps/twinshelf${page}${query}`
const settings = () => call('gaSettings', {}).catch((error: { status: number }) => error.status)
const rows = async () =>
  (await sql`select 1 from analytics_settings`.execute(db.kysely)).rows.length

/**
 * Goes from the app's page to Google's, where the merchant gives access. Returns the address to
 * which Google leads back.
 */
async function toGoogle(choice?: Parameters<typeof google.consent>[1]): Promise<string> {
  const { statusCode, headers } = await get(act('connect'))
  t.equal(statusCode, 302)
  return google.consent(String(headers.location), choice)
}
async function connect(): Promise<void> {
  await get(await toGoogle())
  t.equal((await post(act('finish'))).headers.location, inAdmin('?ga=connected'))
}
/** Finishes with a forged cookie instead of the app's. */
function finishWith(parts: string) {
  const kept = merchant.cookies().replace(/google_consent=[^;]*/, ''),
    own = Buffer.from(parts).toString('base64url')
  return post(act('finish'), {}, { headers: { cookie: `${kept}; google_consent=${own}` } })
}

/** Sends a request of the same merchant to an app with a short API timeout. */
async function hastily(options: InjectOptions) {
  const { app: hasty, close } = await buildApp({
    config: appConfig({ APP_ORIGIN: 'http://localhost:3000' }),
    upstreamOrigin: merchant.upstreamOrigin,
    timeouts: { timeout: 500, deadline: 60_000 },
  })
  return hasty
    .inject({
      ...options,
      headers: {
        cookie: merchant.cookies(),
        origin: 'http://localhost:3000',
        host: 'localhost:3000',
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    .finally(close)
}

t.test('when not connected, the page says so and links to Google outside the frame', async t => {
  const { statusCode, body } = await get(`${page}?shop=${firstShop}`)
  t.equal(statusCode, 200)
  t.match(body, `href="${act('connect')}?shop=${firstShop}" target="_top"`)
  t.match(body, /<a[^>]*aria-current="page"[^>]*>Integrations/)
  t.match((await get(act('connect'))).headers, {
    location: `${google.origin}/o/oauth2/v2/auth?`,
    'cache-control': 'no-store',
  })
})

t.test(
  'when access is denied, partial or forged, nothing is connected, and the page in the admin says why',
  async t => {
    t.equal((await get(await toGoogle({ deny: true }))).headers.location, inAdmin('?ga=denied'))
    t.match(
      textOf((await get(`${page}?ga=denied`)).body),
      'You did not give Google your permission, so nothing was connected.',
    )
    await get(await toGoogle({ scopes: ['https://www.googleapis.com/auth/analytics.readonly'] }))
    t.equal((await post(act('finish'))).headers.location, inAdmin('?ga=partly'))
    for (const query of [
      '',
      '?code=1',
      '?code=1&state=',
      '?code=1&state=a.b.c',
      `?code=1&state=x.${Buffer.from('{"shop":7}').toString('base64url')}.x`,
      `?code=${'x'.repeat(4000)}&state=x.${Buffer.from(JSON.stringify({ shop: firstShop })).toString('base64url')}.x`,
      `?code=1&state=x.${Buffer.from('{"shop":"//evil.example"}').toString('base64url')}.x`,
    ]) {
      const { statusCode, headers, cookies } = await get(`/ga/callback${query}`)
      t.same(
        [statusCode, headers.location, cookies],
        [303, inAdmin('?ga=expired'), []],
        query.slice(0, 40),
      )
    }
    const forged = await get(
      `/ga/callback?code=1&state=x.${Buffer.from(JSON.stringify({ shop: firstShop })).toString('base64url')}.x`,
    )
    t.equal(forged.headers.location, `${act('finish')}?shop=${firstShop}`)
    t.equal(
      (await post(act('finish'))).headers.location,
      inAdmin('?ga=expired'),
      'the engine does not know this state',
    )
    t.equal(
      (await post(act('finish'))).headers.location,
      inAdmin('?ga=expired'),
      'the state cannot be used again',
    )
    for (const parts of [
      'null',
      '{}',
      '["code"]',
      '["", "x"]',
      '[7, "x"]',
      '["code", {}]',
      '[',
      `["${'x'.repeat(5000)}", "x"]`,
    ]) {
      const { statusCode, headers } = await finishWith(parts)
      t.same(
        [statusCode, headers.location],
        [303, inAdmin('?ga=expired')],
        `a cookie with ${parts.slice(0, 20)}`,
      )
    }
    for (const ga of ['connected', 'constructor', '<script>']) {
      const { body } = await get(`${page}?ga=${encodeURIComponent(ga)}`)
      t.notMatch(textOf(body), 'is connected', 'a forged address shows no false message')
    }
    t.equal(await settings(), 404)
  },
)

t.test(
  'the code from Google is in no later address, only in a cookie that scripts cannot read',
  async t => {
    const back = await get(await toGoogle())
    t.same([back.statusCode, back.headers.location], [302, `${act('finish')}?shop=${firstShop}`])
    t.match(back.cookies, [
      { name: 'google_consent', httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 600 },
    ])
    t.equal(back.headers['cache-control'], 'no-store')
    const { statusCode, body } = await get(`${act('finish')}?shop=${firstShop}`)
    t.equal(statusCode, 200)
    t.match(
      textOf(body),
      /Connect Google Analytics to Fern & Kiln\?.*fern-and-kiln\.demo-shop\.test/,
    )
    t.notMatch(body, 'sidenav', 'outside the shop’s admin there is no shell')
    t.equal(await settings(), 404, 'opening the page connects nothing')
    t.equal(
      (await post(act('finish'), {}, { headers: { origin: 'https://evil.example' } })).statusCode,
      403,
    )
    t.equal(await settings(), 404)
    const [one, two] = await Promise.all([post(act('finish')), post(act('finish'))])
    t.same(
      [one.headers.location, two.headers.location],
      [inAdmin('?ga=connected'), inAdmin('?ga=connected')],
      'a double click connects once',
    )
    t.match(one.cookies, [{ name: 'google_consent', value: '', maxAge: 0 }])
    t.equal(
      (await post(act('finish'))).headers.location,
      inAdmin(),
      'a late click finds it connected',
    )
    t.match(await settings(), { connected: true, enabled: false, propertyId: null })
    t.match(
      textOf((await get(`${page}?ga=connected`)).body),
      /Google Analytics is connected\..*Choose the property/,
    )
    await post(act('disconnect'))
  },
)

t.test('a merchant who follows another store’s link connects nothing in either store', async t => {
  const theirs = secondShop
  await seedStore(db, { shop: theirs })
  const { token } = await engine.call('auth', {
    body: {
      idToken: await engine.shop.idToken({ iss: `https://${theirs}`, dest: `https://${theirs}` }),
    },
  })
  await sql`update stores set plan_id = 'advanced-100k-monthly', subscription_status = 'Active', has_subscribed = true where shop = ${theirs}`.execute(
    db.kysely,
  )
  const { url } = (await engine.call('connectGa', {}, token))!
  // Our merchant opens the attacker's link and gives access at Google.
  const back = await get(google.consent(url))
  t.equal(back.headers.location, `${act('finish')}?shop=${theirs}`)
  const sentTo = await get(back.headers.location!)
  t.match(
    sentTo.headers.location,
    `/auth?shop=${theirs}`,
    'it needs a session of the attacker’s store, which this browser does not have',
  )
  t.match((await post(`${act('finish')}?shop=${theirs}`)).headers.location, '/auth?')
  t.equal(await rows(), 0, 'nothing is connected')
  t.equal(
    (await post(act('finish'))).headers.location,
    inAdmin('?ga=expired'),
    'in the browser’s own session the consent is not for this store',
  )
  t.equal(await rows(), 0)
  // The attacker is signed in to their own store and has the state, but never gets the code.
  const cookie = `ts_other-shop=${token}`
  const attempt = await app.app.inject({
    method: 'POST',
    url: `${act('finish')}?shop=${theirs}`,
    payload: '',
    headers: {
      cookie,
      origin: 'http://localhost:3000',
      host: 'localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  t.equal(attempt.headers.location, inAdmin('?ga=expired'))
  t.equal(await rows(), 0)
})

t.test(
  'over https the cookie is bound to this host and to the window that returned from Google',
  async t => {
    const secure = await buildApp({
      config: appConfig({ APP_ORIGIN: 'https://app.example' }),
      upstreamOrigin: 'http://127.0.0.1:1',
    })
    t.teardown(secure.close)
    const { cookies } = await secure.app.inject({
      url: `/ga/callback?code=1&state=x.${Buffer.from(JSON.stringify({ shop: firstShop })).toString('base64url')}.x`,
    })
    t.match(cookies, [
      { name: '__Host-google_consent', secure: true, httpOnly: true, sameSite: 'Lax', path: '/' },
    ])
  },
)

t.test(
  'a property is chosen, its measurement ids are listed, and sending is turned on and off',
  async t => {
    await connect()
    for (const parts of ['["", "x"]', '[7, "x"]']) {
      const { headers } = await finishWith(parts)
      t.equal(headers.location, inAdmin(), 'a forged cookie causes no API call')
    }
    const choose = (property: string) => post(act('property'), { property })
    const listed = await get(page)
    for (const option of ['1000/2000', '1000/2001']) t.match(listed.body, `value="${option}"`)
    t.notMatch(listed.body, act('enable'), 'sending cannot be turned on yet')
    for (const wrong of ['', '1000', 'x/y', '1000/9', '9/2000', '1000/2000/3/../']) {
      const { statusCode, body } = await choose(wrong)
      t.equal(statusCode, wrong === '1000/2000/3/../' ? 303 : 422, wrong)
      if (statusCode === 422) t.match(body, 'id="property-problem"', wrong)
    }
    await choose('1000/2001')
    t.match(textOf((await get(page)).body), 'None. Add a web stream in Google Analytics')
    const without = await post(act('enable'))
    t.equal(without.statusCode, 409)
    t.match(textOf(without.body), 'Nothing was changed. The property has no web stream.')
    t.equal((await choose('1000/2000')).headers.location, page)
    const chosen = textOf((await get(page)).body)
    t.match(chosen, 'The property is saved.')
    for (const text of [
      'Fern & Kiln 1000',
      'Shop 2000',
      'G-BLOG Blog, https://blog.example',
      'G-SHOP Shop, https://fern-and-kiln.demo-shop.test',
      'Not sending',
    ])
      t.match(chosen, text)
    t.equal((await post(act('enable'))).statusCode, 303)
    const sending = textOf((await get(page)).body)
    t.match(sending, /Sending .*G-SHOP Shop, https:\/\/fern-and-kiln\.demo-shop\.test In use/)
    t.equal((await post(act('disable'))).statusCode, 303)
    t.match(await settings(), { enabled: false, propertyId: '2000' })
    await post(act('enable'))
  },
)

t.test(
  'the page reports failed sending, a slow Google and a failing Google, and still shows the choice',
  async t => {
    await sql`update analytics_settings set last_error = 'Google did not take the events.'`.execute(
      db.kysely,
    )
    t.match(
      textOf((await get(page)).body),
      'Not everything could be sent. Google did not take the events.',
    )
    await sql`update analytics_settings set last_error = null`.execute(db.kysely)
    google.instead.push({ path: '/v1beta/accountSummaries', status: 'hang' })
    const slow = await hastily({ url: page })
    t.equal(slow.statusCode, 200)
    t.match(
      textOf(slow.body),
      'Google is slow to answer. Accounts and properties cannot be listed now. Your choice is kept.',
    )
    t.match(
      textOf(slow.body),
      /Account 1000 Property 2000/,
      'account and property have numbers without names',
    )
    google.instead.push(
      { path: '/v1beta/accountSummaries', status: 500 },
      { path: '/v1beta/accountSummaries', status: 500 },
      { path: '/v1beta/accountSummaries', status: 500 },
      { path: '/v1beta/accountSummaries', status: 500 },
    )
    t.match(textOf((await get(page)).body), 'Google answers with errors.')
    google.instead.length = 0
    google.instead.push({ path: '/revoke', status: 500 })
    const standing = await post(act('disconnect'))
    t.equal(standing.statusCode, 502)
    t.match(textOf(standing.body), 'Nothing was changed. Google did not answer as it should.')
    t.match(await settings(), { connected: true, enabled: false })
  },
)

t.test('a slow or failing Google while connecting has a message', async t => {
  for (const [status, outcome, words] of [
    [500, 'failed', 'Google answered with an error'],
    ['hang up', 'failed', 'Google answered with an error'],
  ] as const) {
    await get(await toGoogle())
    google.instead.push({ path: '/token', status })
    t.equal((await post(act('finish'))).headers.location, inAdmin(`?ga=${outcome}`), String(status))
    t.match(textOf((await get(`${page}?ga=${outcome}`)).body), words)
  }
  await get(await toGoogle())
  google.instead.push({ path: '/token', status: 'hang' })
  t.equal(
    (await hastily({ url: act('finish'), method: 'POST', payload: '' })).headers.location,
    inAdmin('?ga=slow'),
  )
  t.match(textOf((await get(`${page}?ga=slow`)).body), 'Google took too long to answer.')
})

t.test(
  'when access was revoked at Google, the page says so and offers to connect again or disconnect',
  async t => {
    google.grants.clear()
    google.instead.push({ path: '/v1beta/accountSummaries', status: 401 })
    const lost = textOf((await get(page)).body)
    t.match(lost, 'Google Analytics is disconnected.')
    t.match(lost, 'Connect again')
    t.match(lost, 'Connection lost')
    t.equal((await post(act('enable'))).statusCode, 409)
    await connect()
    t.match(await settings(), { connected: true, propertyId: '2000' })
    t.equal((await post(act('disconnect'))).statusCode, 303)
    t.equal(await settings(), 404)
    t.match(textOf((await get(page)).body), /Google Analytics is disconnected\./)
  },
)

t.test('on a plan without it the page says so, and the merchant can still disconnect', async t => {
  await connect()
  const on = async (plan: string) => {
    await sql`update stores set plan_id = ${plan} where shop = ${firstShop}`.execute(db.kysely)
    now.at = new Date(now.at.getTime() + 11_000)
  }
  await on('core-100k-monthly')
  const closed = await get(page)
  t.equal(closed.statusCode, 200)
  t.match(textOf(closed.body), 'is not part of your plan')
  t.match(textOf(closed.body), 'Existing connection')
  t.equal((await get(act('connect'))).headers.location, inAdmin())
  t.equal((await post(act('enable'))).statusCode, 403)
  t.equal((await post(act('disconnect'))).statusCode, 303)
  t.notMatch(textOf((await get(page)).body), 'Existing connection')
  await on('advanced-100k-monthly')
})

t.test('an installation without a Google client says so', async t => {
  const bare = await startMerchant()
  t.teardown(bare.close)
  const { statusCode, body } = await bare.get(page)
  t.equal(statusCode, 200)
  t.match(textOf(body), 'Google Analytics is not set up here yet')
  t.notMatch(body, act('connect'))
  t.match((await bare.get(act('connect'))).headers.location, '/settings/integrations')
})
