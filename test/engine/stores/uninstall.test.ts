import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { buildDemoShop } from '../../../demo-shop/app.ts'
import { startJournal } from '../../../engine/journal/journal.ts'
import { scriptTests } from '../../../engine/script/script-tests.ts'
import { caller, type Refused, startEngine } from '../support/engine.ts'
import { holdRequests } from '../support/shops/held-requests.ts'
import { seedTest } from '../support/seeds.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const {
  engine,
  shop,
  shopOrigin,
  engineOrigin,
  db,
  now,
  call,
  idToken,
  token,
  platform,
  merchant,
  close,
} = await startWithShop({}, {}, withAllChanges)
t.teardown(close)
const journal = startJournal({ db, platform, clock: () => now.at })
const { id: storeId } = await call('storeInfo', {})
const why = { category: 'price', reason: 'We test too little.' } as const
const uninstall = (id = storeId) => call('uninstall', { params: { id }, body: why })
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Refused) => error,
  )
const store = () =>
  db.kysely
    .selectFrom('stores')
    .selectAll()
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()

const statusOf = async (testId: string) =>
  (
    await db.kysely
      .selectFrom('tests')
      .select('status')
      .where('test_id', '=', testId)
      .executeTakeFirstOrThrow()
  ).status

/** Pages that shoppers see. `everything` below has all that the app can change. */
const shown = [
  '/',
  '/collections/all',
  '/products/drift-mug',
  '/pages/about',
  '/cart',
  '/sitemap.xml',
]
const pagesOf = async (app: typeof shop.app) =>
  Promise.all(shown.map(async url => (await app.inject(url)).body))
async function everything() {
  const themes = await platform.themes(firstShop)
  const folders = ['templates/', 'sections/', 'snippets/', 'layout/', 'config/', 'assets/']
  const files = await Promise.all(
    themes.map(async ({ id, name, role }) => ({
      id,
      name,
      role,
      files: (await platform.themeFiles(firstShop, id, folders)).map(file => [
        file.name,
        file.body,
      ]),
    })),
  )
  const assigned = await Promise.all(
    (['product', 'collection', 'page'] as const).map(type => platform.resources(firstShop, type)),
  )
  const { items } = await platform.searchProducts(firstShop, {
    query: '',
    direction: 'forward',
    pageSize: 100,
  })
  const prices = (
    await platform.productsById(
      firstShop,
      items.map(item => item.id),
    )
  ).map(({ product, variants }) => [product.id, variants.map(variant => variant.price)])
  return { files, assigned, prices, redirects: await platform.urlRedirects(firstShop) }
}

t.test('another store’s id is a 404, and the category must be valid', async t => {
  t.equal((await refusal(uninstall('00000000-0000-4000-8000-000000000000')))?.status, 404)
  const broken = await engine.app.inject({
    method: 'POST',
    url: `/api/v0/stores/${storeId}/uninstall`,
    headers: { authorization: `Bearer ${token}` },
    payload: { category: 'boredom', reason: '' },
  })
  t.equal(broken.statusCode, 400)
})

/**
 * Inserts an uninstall job that is due at `runAt`: not started yet, or interrupted after `state`.
 */
const waiting = async (
  runAt: Date,
  state = {},
  kind: 'uninstall' | 'testCheck' = 'uninstall',
): Promise<string> => {
  const jobId = randomUUID()
  await db.kysely
    .insertInto('jobs')
    .values({
      store_id: storeId,
      job_id: jobId,
      kind,
      // A check of its own may be waiting already.
      key: kind === 'uninstall' ? kind : jobId,
      payload: '{}',
      state: JSON.stringify(state),
      message: null,
      run_at: runAt,
      created_at: now.at,
      updated_at: now.at,
    })
    .execute()
  return jobId
}

t.test('after the request to uninstall, no test starts and the shop is not changed', async t => {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title: 'Late' } })
  const action = { selector: 'h1', kind: 'text' as const, name: '', value: 'Late' }
  await call('setDomSelectors', {
    params: { id: draft.hypotheses.find(each => each.arm === 'variant')!.id },
    body: {
      domSelectors: [{ id: randomUUID(), urlPatterns: ['/products/*'], actions: [action] }],
    },
  })
  const over = await seedTest(db, storeId, { ended_at: now.at })
  const files = async () => (await everything()).files
  const before = await files()
  const jobId = await waiting(new Date(now.at.getTime() + 86_400_000))

  const launch = () => call('launchDraft', { params: { id: draft.id } })
  for (const [what, act] of Object.entries({
    launching: launch,
    applying: () => call('applyVariant', { params: { id: over } }),
    'making a template': () => call('duplicateTemplate', { body: { type: 'product', suffix: '' } }),
  }))
    t.match(await refusal(act()), { status: 409, message: /being uninstalled/ }, what)
  t.same(await files(), before)
  t.match(
    await call('draft', { params: { id: draft.id } }),
    { id: draft.id },
    'the draft that was not launched is still there',
  )

  await db.kysely
    .updateTable('jobs')
    .set({ status: 'errored' })
    .where('job_id', '=', jobId)
    .execute()
  const { testId } = await launch()
  const { wanted, published } = await db.kysely
    .selectFrom('published_scripts')
    .select(['wanted', 'published'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  t.equal(published, wanted, 'when the uninstall was abandoned, tests run and are published again')
  await call('updateTest', { params: { id: testId }, body: { status: 'Ended' } })
})

t.test(
  'an uninstall restores the shop to before the app, except for files that the merchant has edited',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'never-installed-'))
    const untouched = await buildDemoShop({
      origin: shopOrigin,
      appOrigin: engineOrigin,
      engineOrigin,
      dataDir: folder,
      appKey,
      appSecret,
      clock: () => now.at,
    })
    t.teardown(async () => {
      await untouched.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const before = await everything()
    t.match((await shop.app.inject('/')).body, 'twinshelf.js', 'the script is on the shop')

    const running = await seedTest(db, storeId, { start_at: now.at })
    await seedTest(db, storeId, {
      title: 'Warmer hero',
      ended_at: now.at,
      applied_at: now.at,
      applied_arm: 'variant',
      start_at: now.at,
      dom_selectors: JSON.stringify([
        {
          id: '',
          urlPatterns: ['/*'],
          actions: [{ selector: 'h1', kind: 'text', value: 'Warmer', name: '' }],
        },
      ]),
    })
    const live = before.files.find(theme => theme.role === 'live')!
    const product = before.assigned[0]!.find(resource => resource.suffix === '')!
    const template = live.files.find(([name]) => name === 'templates/product.json')![1]!
    const of = { storeId, testId: running }
    await journal.writeFiles({
      ...of,
      themeId: live.id,
      files: [{ name: 'templates/product.ts-abc123.json', body: template }],
    })
    await journal.assignTemplates({
      ...of,
      assignments: [{ type: 'product', id: product.id, suffix: 'ts-abc123' }],
    })
    const { variants } = (await platform.productsById(firstShop, [product.id]))[0]!
    await journal.setPrices({
      ...of,
      productId: product.id,
      prices: variants.map(({ id, price }) => ({ variantId: id, price: price + 100 })),
    })
    await journal.redirect({ ...of, path: '/pages/about', target: '/pages/story' })
    const edited = 'templates/page.ts-edited.json'
    await journal.writeFiles({
      ...of,
      themeId: live.id,
      files: [
        { name: edited, body: live.files.find(([name]) => name === 'templates/page.json')![1]! },
      ],
    })
    const merchants = JSON.stringify({ ...(JSON.parse(template) as object), edited: true })
    await merchant.writeThemeFiles(firstShop, live.id, [{ name: edited, body: merchants }])
    t.notSame(await everything(), before)

    // The job cannot end before the last request.
    const release = holdRequests(shop.app)
    const ids = await Promise.all([uninstall(), uninstall(), uninstall()])
    release()
    t.equal(new Set(ids.map(({ jobId }) => jobId)).size, 1, 'several requests make one job')
    const { jobId } = ids[0]!
    await engine.runJobs()
    const job = await call('storeJob', { params: { id: jobId } })
    t.match(job, { status: 'completed', progress: 1, kind: 'uninstall' })
    t.match(
      job.message,
      /^Uninstalled\. This stays in the shop: [^;]*ts-edited[^;]*\(edited since\)\. These winners needed our script and ended with it: “Warmer hero”\.$/,
    )
    await shop.delivered()

    t.match(await store(), {
      status: 'uninstalled',
      subscription_status: 'Cancelled',
      pending_plan: null,
    })
    t.equal(await statusOf(running), 'Ended')
    t.match(
      await db.kysely.selectFrom('uninstalls').selectAll().execute(),
      [
        {
          uninstall_id: jobId,
          category: 'price',
          reason: 'We test too little.',
          finished_at: now.at,
        },
      ],
      'one row, although the platform sends a webhook too',
    )
    t.equal((await refusal(platform.themes(firstShop)))?.status, 502, 'the app’s access has ended')
    t.equal(
      (await engine.app.inject(`/s/${firstShop}.js`)).statusCode,
      404,
      'our own address has no script',
    )
    t.same(
      await pagesOf(shop.app),
      await pagesOf(untouched.app),
      'shoppers see the same as in a shop without the app',
    )
    for (const closed of [
      uninstall,
      () => call('test', { params: { id: running } }),
      () => call('storeInfo', {}),
    ] as (() => Promise<unknown>)[])
      t.equal((await refusal(closed()))?.status, 401, 'the merchant’s access has ended')
    t.match(
      await call('lastUninstall', { params: { id: storeId } }),
      { jobId, by: 'merchant' },
      'except for the result of the uninstall',
    )
    const other = await waiting(now.at, {}, 'testCheck')
    t.equal(
      (await refusal(call('storeJob', { params: { id: other } })))?.status,
      404,
      'no other job',
    )
    await db.kysely.deleteFrom('jobs').where('job_id', '=', other).execute()

    // After a new installation the app can read the shop again.
    t.equal(
      (await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })).headers
        .location,
      '/admin/apps/twinshelf',
    )
    const after = await everything()
    const merchantsFile = after.files.find(theme => theme.id === live.id)!.files
    t.same(
      merchantsFile.find(([name]) => name === edited),
      [edited, merchants],
    )
    merchantsFile.splice(
      merchantsFile.findIndex(([name]) => name === edited),
      1,
    )
    t.same(after, before, 'every file, price, assignment and redirect is as before')
  },
)

t.test('opening the app again installs it again, with the script and all old data', async t => {
  const { token } = await call('auth', { body: { idToken: await idToken() } })
  t.match(await call('storeInfo', {}, token), {
    id: storeId,
    status: 'installed',
    reinstall: true,
    onboarded: true,
    planId: 'advanced-100k-monthly',
  })
  t.match(await call('storeStatus', {}, token), {
    subscriptionStatus: 'Cancelled',
    pendingPlan: null,
  })
  t.match((await shop.app.inject('/')).body, 'twinshelf.js')
  // The winner stays off until the merchant switches it on again.
  const {
    scriptWinners: [winner],
  } = await call('tests', { query: {} }, token)
  t.match(winner, { title: 'Warmer hero', isOn: false })
  t.match(await call('test', { params: { id: winner!.id } }, token), {
    appliedArm: null,
    appliedAt: null,
  })
  const always = async () => (await scriptTests(db.kysely, storeId, now.at)).always.length
  t.equal(await always(), 0)
  t.match(
    await call('applyTest', { params: { id: winner!.id }, body: { arm: 'variant' } }, token),
    { appliedArm: 'variant' },
  )
  t.ok((await always()) > 0, 'everyone sees it again')
  t.match((await call('tests', { query: {} }, token)).scriptWinners, [{ isOn: true }])
  t.match(
    await call('subscribe', { params: { id: 'advanced-100k-monthly' }, query: {} }, token),
    { confirmationUrl: /\/admin\/billing\// },
    'the old plan can be chosen again',
  )
})

t.test(
  'an uninstall in the shop’s admin ends tests and refresh tokens, and lists what stays in the shop',
  async t => {
    const signed = await call('auth', { body: { idToken: await idToken() } })
    const running = await seedTest(db, storeId, { start_at: now.at })
    const [live] = (await platform.themes(firstShop)).filter(theme => theme.role === 'live')
    await journal.writeFiles({
      storeId,
      testId: running,
      themeId: live!.id,
      files: [{ name: 'assets/ts-left.css', body: 'a{}' }],
    })
    now.at = new Date(now.at.getTime() + 1_000)
    t.equal(
      (await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/uninstall' }))
        .statusCode,
      303,
    )
    await shop.delivered()
    t.equal((await store()).status, 'uninstalled')
    t.equal(await statusOf(running), 'Ended')
    const last = await db.kysely
      .selectFrom('uninstalls')
      .selectAll()
      .where('category', 'is', null)
      .execute()
    t.equal(last.length, 1)
    t.ok(last[0]!.kept.some(what => what.includes('ts-left.css')))
    t.equal(
      (await refusal(call('auth', { body: { refreshToken: signed.refreshToken } })))?.status,
      401,
    )
    t.notMatch(
      (await shop.app.inject('/')).body,
      'twinshelf.js',
      'the platform itself removes the script',
    )
    t.equal(
      (await shop.app.inject('/admin/apps/twinshelf')).headers.location,
      '/admin/apps',
      'the admin offers to install it',
    )
  },
)

t.test(
  'changes that were made after the uninstall had passed their step are undone, and a test that started then ends',
  async t => {
    await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    const { token } = await call('auth', { body: { idToken: await idToken() } })
    const [live] = (await platform.themes(firstShop)).filter(theme => theme.role === 'live')
    const running = await seedTest(db, storeId, { start_at: now.at })
    const name = 'assets/ts-behind.css'
    await journal.writeFiles({
      storeId,
      testId: running,
      themeId: live!.id,
      files: [{ name, body: 'a{}' }],
    })
    const jobId = await waiting(now.at, { ended: [] })
    await engine.runJobs()
    const { status, message } = await call('storeJob', { params: { id: jobId } }, token)
    t.equal(status, 'completed')
    t.match(
      message,
      /^Uninstalled\. This stays in the shop: [^;]*ts-edited[^;]*\(edited since\)\.$/,
      'nothing else stays',
    )
    t.equal(await statusOf(running), 'Ended')
    await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    t.same(await platform.themeFiles(firstShop, live!.id, [name]), [])
  },
)

t.test(
  'an uninstall that is interrupted after the platform removed the app leaves a new installation alone',
  async t => {
    const signIn = async () => (await call('auth', { body: { idToken: await idToken() } })).token
    for (const state of [{}, { ended: [], kept: [] }]) {
      await signIn()
      // Due only after the new installation: a job that is due may run by itself.
      const jobId = await waiting(new Date(now.at.getTime() + 3_000), state)
      const asked = { store_id: storeId, uninstall_id: jobId, ...why, requested_at: now.at }
      await db.kysely
        .insertInto('uninstalls')
        .values({ ...asked, finished_at: null, kept: '[]' })
        .execute()
      now.at = new Date(now.at.getTime() + 1_000)
      await platform.uninstall(firstShop)
      await shop.delivered()
      t.equal((await store()).status, 'uninstalled')
      now.at = new Date(now.at.getTime() + 1_000)
      await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
      const again = await signIn()
      await call('createDraft', { body: { kind: 'PageElement' } }, again)
      const running = await seedTest(db, storeId, { start_at: now.at })
      now.at = new Date(now.at.getTime() + 1_000)
      await engine.runJobs()
      t.match(await call('storeJob', { params: { id: jobId } }, again), {
        status: 'completed',
        message: 'Uninstalled. The app has been installed again since.',
      })
      t.equal((await store()).status, 'installed')
      t.match((await shop.app.inject('/')).body, 'twinshelf.js')
      t.match(await call('test', { params: { id: running } }, again), { status: 'Active' })
      const next = await call('uninstall', { params: { id: storeId }, body: why }, again)
      t.not(next.jobId, jobId, 'and it can be uninstalled once more')
      await engine.runJobs()
      t.equal((await store()).status, 'uninstalled')
      await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    }
  },
)

t.test(
  'when the shop cannot be reached, the job fails, the store stays installed, and a new uninstall can be requested',
  async t => {
    const small = await startEngine()
    t.teardown(small.close)
    const own = caller(small.engine, () => small.token)
    const { id } = await own('storeInfo', {})
    small.shop.isDown = true
    const { jobId } = await own('uninstall', { params: { id }, body: why })
    await small.engine.runJobs()
    t.match(await own('storeJob', { params: { id: jobId } }), {
      status: 'errored',
      message: /shop/i,
    })
    t.equal((await own('storeInfo', {})).status, 'installed')
    t.not((await own('uninstall', { params: { id }, body: why })).jobId, jobId)
  },
)
