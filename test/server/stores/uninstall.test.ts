import t, { type Test } from 'tap'
import { startJournal } from '../../../engine/journal/journal.ts'
import { appConfig } from '../../../server/config.ts'
import { buildApp } from '../../../server/app.ts'
import { seedStore, seedTest } from '../../engine/support/seeds.ts'
import { holdRequests } from '../../engine/support/shops/held-requests.ts'
import { firstShop, secondShop } from '../../engine/support/small-shop.ts'
import { startWithShop } from '../../engine/support/with-shop.ts'
import { browserOf, startMerchant, textOf } from '../support/merchant.ts'

/**
 * Starts the app with the real engine and the real demo shop. Returns a merchant's and a stranger's
 * browser.
 */
async function stage(t: Test) {
  const whole = await startWithShop()
  const app = await buildApp({
    config: appConfig({ APP_ORIGIN: 'http://localhost:3000' }),
    upstreamOrigin: whole.engineOrigin,
    clock: () => whole.now.at,
  })
  t.teardown(async () => {
    await app.close()
    await whole.close()
  })
  const signIn = async (claims = {}) => {
    const browser = browserOf(app)
    await browser.get(`/?id_token=${await whole.idToken(claims)}`)
    return browser
  }
  const { id: storeId } = await whole.call('storeInfo', {})
  const journal = startJournal({
    db: whole.db,
    platform: whole.platform,
    clock: () => whole.now.at,
  })
  const live = (await whole.platform.themes(firstShop)).find(theme => theme.role === 'live')!
  const left = (testId: string, name: string) =>
    journal.writeFiles({ storeId, testId, themeId: live.id, files: [{ name, body: 'a{}' }] })
  return {
    ...whole,
    app,
    signIn,
    browser: await signIn(),
    stranger: browserOf(app),
    storeId,
    journal,
    left,
  }
}
const uninstalled = '/uninstalled?store=fern-and-kiln'
const jobIn = (location: unknown) =>
  new URL(String(location), 'http://own.test').searchParams.get('job')!

t.test('an uninstall from the form to the list of what remained, and a reinstall', async t => {
  const {
    browser,
    stranger,
    signIn,
    call,
    db,
    engine,
    shop,
    storeId,
    journal,
    left,
    idToken,
    now,
    shopOrigin,
  } = await stage(t)
  const running = await seedTest(db, storeId, { title: 'Still running' })
  const applied = await seedTest(db, storeId, { kind: 'Template' })
  await seedTest(db, storeId, {
    title: 'Warmer hero',
    ended_at: now.at,
    applied_at: now.at,
    applied_arm: 'variant',
  })
  await left(running, 'assets/ts-running.css')
  await left(applied, 'assets/ts-winner.css')
  await journal.keep(storeId, applied)
  await db.kysely
    .updateTable('tests')
    .set({ status: 'Ended', ended_at: now.at, applied_at: now.at, applied_arm: 'variant' })
    .where('test_id', '=', applied)
    .execute()

  const form = await browser.get('/settings/uninstall')
  t.equal(form.statusCode, 200)
  t.match(textOf(form.body), /One unfinished test ends\./)
  t.notMatch(form.body, 'Last time', 'there was no uninstall before')
  t.equal(
    (await browser.get('/uninstalling')).headers.location,
    '/settings/uninstall',
    'no uninstall is running',
  )

  // The job cannot end before the page was asked for.
  const release = holdRequests(shop.app)
  const asked = await browser.post(
    '/settings/uninstall?shop=fern-and-kiln.demo-shop.test&host=abc',
    { category: 'temporary', reason: 'Back in\r\nspring.' },
  )
  t.equal(asked.statusCode, 303)
  const location = String(asked.headers.location)
  t.match(location, /^\/uninstalling\?job=[0-9a-f-]{36}&host=abc&shop=/)
  const jobId = jobIn(location)
  t.match(await db.kysely.selectFrom('uninstalls').selectAll().execute(), [
    { uninstall_id: jobId, category: 'temporary', reason: 'Back in\nspring.' },
  ])

  t.equal(
    (await browser.get(`/uninstalling?job=${jobId}`)).statusCode,
    200,
    'the uninstall is running, and the app now caches the store for some seconds',
  )
  release()
  await engine.runJobs()
  await shop.delivered()
  // In the app's cache the store is still installed. The page's own API call is refused, because
  // the session has ended.
  const carried = 'host=abc&shop=fern-and-kiln.demo-shop.test&code=SAVE20'
  t.equal(
    (await browser.get(`/settings/uninstall?${carried}`)).headers.location,
    `${uninstalled}&${carried}`,
    'it leads to the last page, not to the sign-in, which cannot work any more',
  )
  const done = await browser.get(`/uninstalling?job=${jobId}`)
  t.ok(String(done.headers.location).startsWith(uninstalled))
  for (const path of ['/', '/settings/uninstall', '/uninstalling']) {
    now.at = new Date(now.at.getTime() + 11_000)
    t.equal(
      (await browser.get(`${path}?${carried}`)).headers.location,
      `${uninstalled}&${carried}`,
      path,
    )
  }
  const framed = String(
    (await stranger.get(`${uninstalled}&${carried}`)).headers['content-security-policy'],
  )
  t.match(framed, `frame-ancestors ${shopOrigin};`, 'the admin may frame it without cookies, too')
  const last = await browser.get(uninstalled)
  t.equal(last.statusCode, 200)
  t.match(textOf(last.body), 'It no longer runs on fern-and-kiln.')
  t.match(textOf(last.body), /This stayed in the shop:.*ts-winner\.css.* \(applied as a winner\)/)
  t.match(textOf(last.body), /needed our script and ended with it\. .*: Warmer hero/)
  t.notMatch(last.body, 'ts-running.css')
  for (const answer of [
    await stranger.get(uninstalled),
    await browser.get('/uninstalled?store=another'),
    await browser.get('/uninstalled?store=%3Cscript%3E'),
  ]) {
    t.equal(answer.statusCode, 200)
    t.notMatch(answer.body, 'ts-winner.css', 'other browsers do not see the list')
    t.notMatch(answer.body, '<script>alert')
  }
  for (const hostile of [
    '<script>alert(1)</script>',
    '"><img src=x>',
    'a'.repeat(64),
    '//evil',
    'Fern And Kiln',
  ])
    t.match(
      textOf((await stranger.get(`/uninstalled?store=${encodeURIComponent(hostile)}`)).body),
      'It no longer runs on your shop.',
      hostile,
    )

  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  await call('auth', { body: { idToken: await idToken() } })
  await db.kysely
    .updateTable('stores')
    .set({ subscription_status: 'Active' })
    .where('store_id', '=', storeId)
    .execute()
  const back = await signIn()
  const again = await back.get('/settings/uninstall')
  t.match(textOf(again.body), /Last time Twinshelf was uninstalled here on .*ts-winner\.css/)
  t.equal(
    (await back.get(`/uninstalling?job=${jobId}`)).headers.location,
    '/settings/uninstall',
    'an old address does not show an old uninstall',
  )
  t.match(textOf((await back.get(uninstalled)).body), 'Twinshelf is installed')
})

t.test('after an uninstall in the shop’s admin the merchant sees what remains', async t => {
  const { browser, call, db, shop, storeId, left, now } = await stage(t)
  await left(await seedTest(db, storeId), 'assets/ts-left.css')
  now.at = new Date(now.at.getTime() + 1_000)
  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/uninstall' })
  await shop.delivered()
  t.match(await call('lastUninstall', { params: { id: storeId } }), {
    by: 'platform',
    jobId: null,
    category: null,
    kept: [/ts-left\.css/],
  })
  now.at = new Date(now.at.getTime() + 11_000)
  t.ok(String((await browser.get('/')).headers.location).startsWith(uninstalled))
  t.match(
    textOf((await browser.get(uninstalled)).body),
    /Our access ended before we could restore the shop, so this stayed in it:.*ts-left\.css/,
  )
})

t.test('a form with a missing reason or a too long one is refused', async t => {
  const { get, post, engine, call, close } = await startMerchant()
  t.teardown(close)
  const stored = () => engine.db.kysely.selectFrom('uninstalls').selectAll().execute()
  const refused = await post('/settings/uninstall', { reason: 'Kept <b>words</b>' })
  t.equal(refused.statusCode, 422)
  t.match(refused.body, /name="category" value="price"[^>]*aria-invalid="true"/)
  t.match(textOf(refused.body), 'Choose why you are leaving.')
  t.match(refused.body, 'Kept &lt;b>words')
  for (const category of ['boredom', '', 'constructor', '__proto__'])
    t.equal((await post('/settings/uninstall', { category, reason: '' })).statusCode, 422, category)
  const long = await post('/settings/uninstall', { category: 'bug', reason: 'x'.repeat(2001) })
  t.equal(long.statusCode, 422)
  t.match(textOf(long.body), 'Keep it to 2000 characters; these are 2001.')
  t.match(long.body, /value="bug" checked|checked[^>]*value="bug"/, 'the form keeps the choice')
  t.equal(
    (await post('/settings/uninstall', { category: 'bug', reason: 'a\u0000b' })).statusCode,
    422,
    'a NUL cannot be stored',
  )
  t.same(await stored(), [])
  t.equal(
    (
      await post(
        '/settings/uninstall',
        { category: 'bug', reason: '' },
        { headers: { origin: 'https://evil.example' } },
      )
    ).statusCode,
    403,
  )
  t.equal((await get('/uninstalling/progress?job=nonsense')).statusCode, 404)
  t.equal((await get('/uninstalling/progress')).statusCode, 404)
  t.same(await stored(), [])

  // A job of another kind or of another store is not shown as an uninstall.
  const other = await seedStore(engine.db, { shop: secondShop })
  for (const [store, kind] of [
    [(await call('storeInfo', {})).id, 'testCheck'],
    [other, 'uninstall'],
  ] as const) {
    const id = crypto.randomUUID()
    await engine.db.kysely
      .insertInto('jobs')
      .values({
        store_id: store,
        job_id: id,
        kind,
        key: null,
        payload: '{}',
        state: '{}',
        message: null,
        run_at: new Date(Date.now() + 3_600_000),
        created_at: engine.now.at,
        updated_at: engine.now.at,
      })
      .execute()
    t.equal((await get(`/uninstalling?job=${id}`)).headers.location, '/settings/uninstall')
    t.equal((await get(`/uninstalling/progress?job=${id}`)).statusCode, 404)
  }
})

t.test('an uninstall runs, fails and is tried again', async t => {
  const { get, post, engine, close } = await startMerchant()
  t.teardown(close)
  engine.shop.isHanging = true
  const jobId = jobIn(
    (await post('/settings/uninstall', { category: 'bug', reason: 'It "broke" <here>' })).headers
      .location,
  )
  t.equal(
    jobIn((await post('/settings/uninstall', { category: 'price', reason: '' })).headers.location),
    jobId,
    'a second request gives the same job',
  )
  t.equal(
    (await get('/settings/uninstall')).headers.location,
    `/uninstalling?job=${jobId}`,
    'the form leads to the running job',
  )
  for (const path of [
    '/uninstalling',
    `/uninstalling?job=${jobId}`,
    '/uninstalling?job=nonsense',
    '/uninstalling?job=00000000-0000-4000-8000-000000000000',
  ]) {
    const page = await get(path)
    t.equal(page.statusCode, 200, path)
    t.match(page.body, `data-live-job="${jobId}"`)
    t.match(
      page.body,
      /<noscript><meta http-equiv="refresh" content="2"\/?><\/noscript>/,
      'without scripts the page reloads itself',
    )
    t.match(textOf(page.body), 'Uninstalling Twinshelf from Fern & Kiln')
  }
  const progress = await get(`/uninstalling/progress?job=${jobId}`)
  t.match(progress.json(), { id: jobId, status: /queued|active|updated/ })
  t.equal(progress.headers['cache-control'], 'no-store')

  await engine.db.kysely
    .updateTable('jobs')
    .set({ status: 'errored', message: 'The shop did not answer.', lease: null })
    .where('job_id', '=', jobId)
    .execute()
  engine.shop.isHanging = false
  engine.shop.isDown = true
  const failed = await get('/uninstalling?shop=fern-and-kiln.demo-shop.test')
  t.match(textOf(failed.body), /could not be uninstalled.*The shop did not answer\./)
  t.notMatch(failed.body, 'http-equiv="refresh"')
  t.match(failed.body, 'action="/settings/uninstall?shop=fern-and-kiln.demo-shop.test"')
  const fields = Object.fromEntries(
    [...failed.body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [
        name!,
        value!.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
      ],
    ),
  )
  t.same(fields, { category: 'bug', reason: 'It "broke" <here>' })
  const second = jobIn((await post('/settings/uninstall', fields)).headers.location)
  t.not(second, jobId)
  await engine.engine.runJobs()
  t.match(
    textOf((await get(`/uninstalling?job=${second}`)).body),
    /could not be uninstalled.*shop/i,
    'the shop still does not answer',
  )
  t.equal((await get('/settings/uninstall')).statusCode, 200, 'the form is available again')
})
