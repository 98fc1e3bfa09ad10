import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { run } from '../../../engine/db/raw.ts'
import { changeStatus, heldTest } from '../../../engine/tests/test-statuses.ts'
import { browserOf, startMerchant, textOf } from '../support/merchant.ts'
import { launchTest, visit } from '../support/shoppers.ts'

const warnings: string[] = []
const merchant = await startMerchant({
  log: pino(
    { level: 'warn' },
    new Writable({
      write: (line, _, done) => {
        warnings.push(String(line))
        done()
      },
    }),
  ),
})
const { engine, call, get, post, close } = merchant
t.teardown(close)
const store = () => call('storeInfo', {})
const { id: storeId } = await store()
const stop = (id: string, cause: 'visitorLimit' | 'pageGone') =>
  engine.db.kysely
    .transaction()
    .execute(async trx =>
      changeStatus(
        trx,
        (await heldTest(trx, storeId, id))!,
        'OnHold',
        engine.now.at,
        holdCause(cause),
      ),
    )
/** Moves the clock past the time for which the app caches a store. */
const later = () => {
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
}
const fieldOf = (body: string, name: string) =>
  new RegExp(`<(?:input|select)[^>]*name="${name}"[^>]*>`).exec(body)?.[0] ?? ''

t.test(
  'the settings open at the account, and every page of the settings links to the others',
  async t => {
    t.match(await get('/settings?host=abc'), {
      statusCode: 303,
      headers: { location: '/settings/account?host=abc' },
    })
    for (const page of [
      'account',
      'notifications',
      'billing',
      'support',
      'brand-styles',
      'preferences',
      'integrations',
      'uninstall',
    ]) {
      const { statusCode, body } = await get(`/settings/${page}`)
      t.equal(statusCode, 200)
      const nav = /<nav class="tabs" aria-label="Settings">.*?<\/nav>/.exec(body)![0]
      t.match(
        textOf(nav),
        /My account Notifications Plan & Billing Support Brand styles Preferences Integrations Uninstall/,
      )
      t.match(
        body,
        /<main[^>]*>(?:<div class="toasts"[^>]*>.*?<\/div>)?<nav class="tabs"/,
        `${page}: the tabs come first, so that they never move`,
      )
      t.same(
        [...nav.matchAll(/href="([^"]+)"[^>]*aria-current="page"/g)].map(([, href]) => href),
        [`/settings/${page}`],
      )
    }
  },
)

t.test('the store is renamed, and the layout has the new name at once', async t => {
  const answer = await post('/settings/account', { name: '  Fern, Kiln & Daughters ' })
  t.match(answer, { statusCode: 303, headers: { location: '/settings/account' } })
  t.equal((await store()).name, 'Fern, Kiln & Daughters')
  const { body } = await get('/settings/account')
  t.match(textOf(body), /Fern, Kiln & Daughters/)
  t.match(textOf(body), /The name is saved\./)
  t.match(fieldOf(body, 'name'), /value="Fern, Kiln &amp; Daughters"/)
})

t.test('an invalid name is refused at its field, and the form keeps it', async t => {
  for (const [name, message] of [
    ['   ', 'Give the store a name.'],
    ['x'.repeat(101), 'Keep it to 100 characters; these are 101.'],
  ] as const) {
    const { statusCode, body } = await post('/settings/account', { name })
    t.equal(statusCode, 422)
    t.match(fieldOf(body, 'name'), /aria-invalid="true"/)
    t.ok(fieldOf(body, 'name').includes(`value="${name}"`))
    t.match(textOf(body), message)
  }
  t.equal((await store()).name, 'Fern, Kiln & Daughters')
  t.equal((await post('/settings/account')).statusCode, 422, 'an empty form')
  const hostile = '</script><img src=x onerror=alert(1)>"'
  t.equal((await post('/settings/account', { name: hostile })).statusCode, 303)
  t.notMatch((await get('/settings/account')).body, /<img src=x/)
  await post('/settings/account', { name: 'Fern & Kiln' })
})

t.test('the page shows the plan from the API', async t => {
  await engine.db.kysely
    .updateTable('stores')
    .set({ pending_plan: 'core-100k-monthly' })
    .where('store_id', '=', storeId)
    .execute()
  later()
  t.match(
    textOf((await get('/settings/account')).body),
    /Plan Advanced 100k, monthly Subscription Active .*Next plan Core 100k, monthly/,
  )
  await engine.db.kysely
    .updateTable('stores')
    .set({ pending_plan: null })
    .where('store_id', '=', storeId)
    .execute()
  later()
})

t.test('each form changes only its own answers', async t => {
  t.equal(
    (
      await post('/settings/preferences/industry', {
        selectedIndustry: 'kitchen',
        teamSize: '6-20',
      })
    ).headers.location,
    '/settings/preferences',
  )
  t.equal(
    (
      await post('/settings/preferences/experience', {
        testingExperience: 'expert',
        source: 'agency',
      })
    ).statusCode,
    303,
  )
  t.match(await store(), {
    industry: 'kitchen',
    teamSize: '6-20',
    testingExperience: 'expert',
    source: 'agency',
  })
  const { body } = await get('/settings/preferences')
  for (const key of ['kitchen', '6-20', 'expert', 'agency', 'unlessRefused'])
    t.match(body, new RegExp(`<option value="${key}" selected`))
  t.match(textOf(body), /Currency USD Time zone America\/New_York/)
  t.notMatch(body, /Not answered yet/)
})

t.test(
  'an unknown answer is refused at its field; the other choices in the form are kept',
  async t => {
    const { statusCode, body } = await post('/settings/preferences/industry', {
      selectedIndustry: 'weapons',
      teamSize: '51+',
    })
    t.equal(statusCode, 422)
    t.match(fieldOf(body, 'selectedIndustry'), /aria-invalid="true"/)
    t.notMatch(fieldOf(body, 'teamSize'), /aria-invalid/)
    t.match(textOf(body), /Choose what the shop sells\./)
    t.match(body, /<option value="51\+" selected/)
    t.match(body, /<title>Preferences \| Twinshelf/)
    t.match(await post('/settings/preferences/experience'), {
      statusCode: 422,
      body: /Choose how much testing you have done\./,
    })
    t.match(await post('/settings/preferences/consent', { consent: 'never' }), {
      statusCode: 422,
      body: /Choose who is counted/,
    })
    t.equal(
      (await post('/settings/preferences/consent', { consent: 'afterConsent' })).statusCode,
      303,
    )
    t.match((await get('/settings/preferences')).body, /<option value="afterConsent" selected/)
    t.equal(
      (await post('/settings/preferences/consent', { consent: 'unlessRefused' })).statusCode,
      303,
    )
    t.match(await store(), {
      industry: 'kitchen',
      teamSize: '6-20',
      testingExperience: 'expert',
      source: 'agency',
    })
  },
)

t.test('a merchant sets a network with many visitors aside and counts it again', async t => {
  const page = async () => textOf((await get('/settings/preferences')).body)
  t.match(await page(), 'No network has brought 10 or more new visitors.')
  await run(
    engine.db.kysely,
    `insert into network_visitors (store_id, visitor_id, network, seen_at) select $1, 'visitor-' || n, 'busy-network', $2 from generate_series(1, 12) n`,
    [storeId, engine.now.at],
  )
  t.match(await page(), /busy-n .* 12 100\.0% 0 Counted Set aside/)
  const choose = (network: string, counted: string) =>
    post('/settings/preferences/networks', { network, counted })
  t.match(await choose('busy-network', 'no'), {
    statusCode: 303,
    headers: { location: '/settings/preferences' },
  })
  t.match(
    await page(),
    /12 100\.0% 0 Set aside in Preferences Count again .* The network’s visitors are set aside\./,
  )
  await choose('busy-network', 'yes')
  t.match(await page(), /0 Counted again in Preferences Set aside/)
  await choose('another', 'yes')
  t.match(await page(), 'That network is no longer known, so nothing was changed.')
})

t.test('support: the page says what we will ask, and that email is not set up', async t => {
  const { body } = await get('/settings/support')
  const { version } = await call('about', {})
  t.match(
    textOf(body),
    new RegExp(
      `Store: ${storeId} Shop: fern-and-kiln.demo-shop.test Plan: Advanced 100k \\(advanced-100k-monthly\\) Plan level: Advanced Version: ${version}`,
    ),
  )
  t.match(
    textOf(body),
    /Support by email is not set up here yet\. The guide answers most questions\./,
  )
  t.notMatch(body, /mailto:/)
})

t.test(
  'the level of a Grandfathered plan has no name: a warning is logged, and the page says "Unknown"',
  async t => {
    const put = async (plan_id: string) => {
      await engine.db.kysely
        .updateTable('stores')
        .set({ plan_id })
        .where('store_id', '=', storeId)
        .execute()
      later()
    }
    t.same(warnings, [])
    await put('grandfathered')
    t.match(
      textOf((await get('/settings/support')).body),
      /Plan: Grandfathered .* Plan level: Unknown/,
    )
    t.match(warnings, [/plan level 0 \(Grandfathered\)/])
    await put('advanced-100k-monthly')
  },
)

t.test('without notices the page says that nothing needs attention', async t => {
  t.match(
    textOf((await get('/settings/notifications')).body),
    /You’re all caught up .* What we check for you Tests None on hold or suspended .* Visitors this month 0 of 100,000/,
  )
})

t.test(
  'a test on hold has a notice with its cause, marked new once, and is resumed when the cause is gone',
  async t => {
    const [gone, stays] = [
      await launchTest(merchant, 'Limit met'),
      await launchTest(merchant, 'Split off'),
    ]
    later()
    await stop(gone, 'visitorLimit')
    const first = await get('/settings/notifications')
    t.match(
      textOf(first.body),
      /“Limit met” is on hold New This cycle’s visitors have reached the plan’s limit\. Choose a plan .* resume by themselves\./,
    )
    t.match(first.body, new RegExp(`href="/tests/${gone}"`))
    t.notMatch(textOf((await get('/settings/notifications')).body), /on hold New/)

    later()
    await stop(stays, 'pageGone')
    await engine.db.kysely
      .updateTable('tests')
      .set({
        kind: 'UrlRedirect',
        control_url: '/pages/nowhere',
        redirect_url: '/pages/gift-guide',
      })
      .where('test_id', '=', stays)
      .execute()
    const both = textOf((await get('/settings/notifications')).body)
    t.match(both, /“Limit met” is on hold This/)
    t.match(both, /“Split off” is on hold New A page of this test is gone/)
    t.match(both, /Try to resume all 2/)

    t.match(await post('/settings/notifications/resume'), {
      statusCode: 303,
      headers: { location: '/settings/notifications' },
    })
    t.equal((await call('test', { params: { id: gone } })).status, 'Active')
    t.equal((await call('test', { params: { id: stays } })).status, 'OnHold')
    const after = textOf((await get('/settings/notifications')).body)
    t.match(after, /One test runs again\. One stays on hold: its cause is still there\./)
    t.match(after, /“Split off” is on hold/)
    t.notMatch(after, /Limit met/)
  },
)

t.test('usage near the limit and the end of a trial have notices', async t => {
  await visit(merchant, await launchTest(merchant, 'Busy'), [{ arm: 0, visitors: 9 }])
  await engine.db.kysely
    .updateTable('plans')
    .set({ monthly_visitors: 10 })
    .where('plan_id', '=', 'advanced-100k-monthly')
    .execute()
  later()
  t.match(
    textOf((await get('/settings/notifications')).body),
    /90% of this month’s visitors are used 9 of 10 visitors have come/,
  )
  await engine.db.kysely
    .updateTable('stores')
    .set({ trial_end: new Date(engine.now.at.getTime() + 2 * 86_400_000) })
    .where('store_id', '=', storeId)
    .execute()
  later()
  const text = textOf((await get('/settings/notifications')).body)
  t.match(text, /Your free trial ends in 2 days/)
  t.notMatch(text, /of this month’s visitors are used 9/)
})

t.test('a closed feature says what it is and links to the plan that includes it', async t => {
  await engine.db.kysely
    .updateTable('stores')
    .set({ feature_flags: '[]', plan_id: 'core-100k-monthly' })
    .where('store_id', '=', storeId)
    .execute()
  later()
  const assist = await get('/recommendations')
  t.match(
    textOf(assist.body),
    /Lift Assist is not part of your plan It reads your shop’s traffic .* Lift Assist comes with the Advanced plan and above\./,
  )
  t.match(
    assist.body,
    /class="button" href="\/recommendations\?ask=upgrade&amp;feature=LiftAssists" hx-boost="false">See the Advanced plan/,
  )
  const kinds = await get('/tests/draft/edit')
  t.match(
    textOf(kinds.body),
    /Page element testing feature is not enabled for this store\. Please contact support to enable this feature\. Contact support/,
  )
  t.match(kinds.body, /href="\/settings\/support">Contact support/)
  t.notMatch(kinds.body, /value="PageElement"/)
  t.match(kinds.body, /value="UrlRedirect"/, 'Core includes URL redirect tests')

  await engine.db.kysely
    .updateTable('stores')
    .set({ feature_flags: '["DomTesting","LiftAssists"]' })
    .where('store_id', '=', storeId)
    .execute()
  later()
  t.match((await get('/tests/draft/edit')).body, /value="PageElement"/)
  t.notMatch(textOf((await get('/recommendations')).body), /not part of your plan/)
})

t.test('a forged cookie of the last visit is ignored', async t => {
  for (const cookie of ['now_then', '2026-99-99T00:00:00.000Z_x', '_'])
    t.equal(
      (
        await merchant.app.app.inject({
          url: '/settings/notifications',
          headers: {
            host: 'localhost:3000',
            cookie: `${await session()}; looked_fern-and-kiln=${cookie}`,
          },
        })
      ).statusCode,
      200,
    )
})
async function session(): Promise<string> {
  const { cookies } = await merchant.app.app.inject({
    url: `/?id_token=${await engine.shop.idToken()}`,
    headers: { host: 'localhost:3000' },
  })
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

t.test(
  'signing out everywhere ends the sessions of all browsers, also this one, and leads to the shop’s admin',
  async t => {
    t.match(textOf((await get('/settings/account')).body), 'Sign out of all sessions')
    const other = browserOf(merchant.app)
    await other.get(`/?id_token=${await engine.shop.idToken()}`)
    t.equal((await other.get('/settings/account')).statusCode, 200)
    const answer = await post('/settings/account/sign-out')
    t.equal(answer.statusCode, 303)
    t.match(answer.headers.location, /^\/auth\?from=%2Fsettings%2Faccount/)
    engine.now.at = new Date(engine.now.at.getTime() + 11_000)
    for (const browser of [other.get, get])
      t.equal((await browser('/settings/account')).headers.location, '/auth-missing')
    await get(`/?id_token=${await engine.shop.idToken()}`)
    t.match(textOf((await get('/settings/account')).body), 'Everybody is signed out.')
  },
)
