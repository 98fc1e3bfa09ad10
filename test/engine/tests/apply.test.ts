import t from 'tap'
import { finishApplications } from '../../../engine/tests/apply.ts'
import type { EngineContext } from '../../../engine/context.ts'
import type { Reader } from '../../../engine/db/types.ts'
import type { NewJob } from '../../../engine/jobs/jobs.ts'
import { add, cancel } from '../../../engine/jobs/queue.ts'
import { startJournal } from '../../../engine/journal/journal.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { scriptTests } from '../../../engine/script/script-tests.ts'
import { checkTests } from '../../../engine/tests/check-tests.ts'
import { assignedTypes } from '../../../domain/themes/template.ts'
import type { Refused } from '../support/engine.ts'
import { launchedFrom } from '../support/launched.ts'
import { like } from '../support/like.ts'
import { quietLog } from '../support/quiet-log.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedTest } from '../support/seeds.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { engine, call, db, now, shop, shopOrigin, platform, merchant, close } = await startWithShop(
  {},
  {},
  withAllChanges,
)
t.teardown(close)
const { id: store, themeId: live } = await call('storeInfo', {})
const themeId = live!
const otherTheme = (await platform.themes(firstShop)).find(theme => theme.id !== themeId)!.id
const [product] = (
  await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 1 })
).items
const apply = (id: string, arm: 'control' | 'variant' = 'variant') =>
  call('applyTest', { params: { id }, body: { arm } })
const body = async (name: string) =>
  (await platform.themeFiles(firstShop, themeId, [name]))[0]?.body ?? null
const suffixes = async (type: 'product' | 'page') =>
  (await platform.resources(firstShop, type)).map(({ id, suffix }) => `${id} ${suffix}`)
const inScript = async () => (await fetch(`${shopOrigin}/assets/twinshelf.js`)).text()

/** Everything that applying can change, and the template files of both themes. */
async function shopState() {
  const themes = await platform.themes(firstShop)
  const files = await Promise.all(
    themes.map(theme => platform.themeFiles(firstShop, theme.id, ['templates/'])),
  )
  return {
    live: themes.find(each => each.role === 'live')!.id,
    files: files
      .flat()
      .map(({ name, body }) => `${name} ${body}`)
      .sort(),
    assigned: (await Promise.all(assignedTypes.map(type => platform.resources(firstShop, type))))
      .flat()
      .map(({ type, id, suffix }) => `${type} ${id} ${suffix}`),
    redirects: (await platform.urlRedirects(firstShop)).map(
      ({ path, target }) => `${path} ${target}`,
    ),
    prices: (await platform.productsById(firstShop, [product!.id])).flatMap(({ variants }) =>
      variants.map(({ id, price }) => `${id} ${price}`),
    ),
  }
}
const untouched = await shopState()

async function templateTest(type: 'product' | 'page' | 'home', suffix = '', granular?: string[]) {
  const { id } = await call('createDraft', {
    body: { kind: 'Template', title: `A template of ${type}` },
  })
  await call('setControl', { params: { id }, body: { type, suffix } })
  const { variant } = await call('setVariant', {
    params: { id },
    body: granular ? { granular } : {},
  })
  return {
    test: await launchedFrom(db, store, id),
    variant: variant!.suffix!,
    file: `templates/${type === 'home' ? 'index' : type}.${variant!.suffix}.json`,
  }
}

t.test(
  'a winning template gets all pages of the control’s template, and control restores them to the byte',
  async t => {
    const { test, variant, file } = await templateTest('product')
    const control = (await platform.resources(firstShop, 'product')).filter(
      each => each.suffix === '',
    )
    const applied = await apply(test)
    t.match(applied, {
      status: 'Ended',
      appliedArm: 'variant',
      appliedAt: now.at.toISOString(),
      endedAt: now.at.toISOString(),
    })
    t.equal(applied.events.at(-1)!.detail, 'Variant applied')
    const after = new Map(
      (await platform.resources(firstShop, 'product')).map(each => [each.id, each.suffix]),
    )
    for (const { id } of control) t.equal(after.get(id), variant)
    t.equal(
      [...after.values()].filter(each => each === 'story').length,
      untouched.assigned.filter(each => each.endsWith(' story')).length,
      'other pages keep their template',
    )
    await engine.runJobs()
    t.ok(await body(file), 'an applied winner is not undone')
    t.match(await apply(test, 'control'), { appliedArm: 'control' })
    t.same(await shopState(), untouched)
  },
)

t.test(
  'applying an ended test later restores its template unchanged, and a granular one is only for the chosen pages',
  async t => {
    const chosen = (await platform.resources(firstShop, 'product'))
      .filter(each => each.suffix === '')
      .slice(0, 2)
      .map(each => each.id)
    const { test, variant, file } = await templateTest('product', '', chosen)
    const made = await body(file)
    await call('updateTest', { params: { id: test }, body: { status: 'Ended' } })
    await engine.runJobs()
    t.same(await shopState(), untouched, 'the end of the test restores the shop')
    await call('applyVariant', { params: { id: test } })
    t.equal(await body(file), made)
    t.same(
      (await suffixes('product')).filter(each => each.endsWith(variant)).sort(),
      chosen.map(id => `${id} ${variant}`).sort(),
    )
    await apply(test, 'control')
    t.same(await shopState(), untouched)
  },
)

t.test(
  'the home page’s file gets the variant’s content, and the original stays under a dated suffix',
  async t => {
    const { test, file } = await templateTest('home')
    const original = (await body('templates/index.json'))!
    const better = JSON.stringify({
      ...(JSON.parse(original) as object),
      order: (JSON.parse(original) as { order: string[] }).order.toReversed(),
    })
    const dated = `templates/index.before-${now.at.toISOString().slice(0, 10)}`
    // Two such copies of today exist already.
    const taken = [`${dated}.json`, `${dated}-2.json`]
    await merchant.writeThemeFiles(firstShop, themeId, [
      { name: file, body: better },
      ...taken.map(name => ({ name, body: original })),
    ])
    await apply(test)
    t.equal(await body('templates/index.json'), better)
    t.equal(await body(`${dated}-3.json`), original)
    await merchant.deleteThemeFiles(firstShop, themeId, taken)
    await apply(test, 'control')
    t.equal(await body('templates/index.json'), original)
    t.equal(await body(file), better, 'the merchant’s own file stays')
    await merchant.deleteThemeFiles(firstShop, themeId, [file])
    t.same(await shopState(), untouched)
  },
)

t.test('a theme’s winner is published, and control publishes the old one', async t => {
  const test = await seedTest(db, store, {
    kind: 'Theme',
    control_target: JSON.stringify({
      templateType: null,
      suffix: null,
      themeId,
      url: null,
      isOurs: false,
      hash: null,
    }),
    variant_target: JSON.stringify({
      templateType: null,
      suffix: null,
      themeId: otherTheme,
      url: null,
      isOurs: false,
      hash: null,
    }),
  })
  await apply(test)
  t.equal((await shopState()).live, otherTheme)
  await shop.delivered()
  await t.resolveMatch(
    call('storeInfo', {}),
    { themeId: otherTheme },
    'the store has the new theme',
  )
  await apply(test, 'control')
  t.same(await shopState(), untouched)
})

t.test('a winning redirect becomes a redirect of the shop, for everyone', async t => {
  const test = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/about?from=test',
    pages: '["/pages/gift-guide"]',
  })
  await apply(test)
  const response = await fetch(`${shopOrigin}/pages/gift-guide`, { redirect: 'manual' })
  t.match(response.headers.get('location'), '/pages/about?from=test')
  await apply(test, 'control')
  t.equal((await fetch(`${shopOrigin}/pages/gift-guide`, { redirect: 'manual' })).status, 200)
  t.same(await shopState(), untouched)
  const toItself = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/gift-guide?v=2',
    pages: '["/pages/gift-guide"]',
  })
  await t.rejects(
    apply(toItself),
    like({ status: 409, problem: { message: /lead the page to itself/ } }),
  )
})

t.test('winning prices are for everyone', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
  await call('createTestProduct', {
    body: { testDraftId: id, productId: product!.id, rule: { kind: 'amount', value: 250 } },
  })
  const test = await launchedFrom(db, store, id)
  await apply(test)
  const raised = untouched.prices.map(
    each => `${each.split(' ')[0]} ${Number(each.split(' ')[1]) + 250}`,
  )
  t.same((await shopState()).prices, raised)
  await apply(test, 'control')
  t.same(await shopState(), untouched)
})

t.test(
  'applying control changes no price that the merchant set: not if nothing was applied, and not after the variant was applied',
  async t => {
    const priceTest = async () => {
      const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
      await call('createTestProduct', {
        body: { testDraftId: id, productId: product!.id, rule: { kind: 'amount', value: 250 } },
      })
      return launchedFrom(db, store, id)
    }
    const variants = untouched.prices.map(each => ({
      id: each.split(' ')[0]!,
      price: Number(each.split(' ')[1]),
    }))
    const set = (more: number) =>
      platform.setPrices(
        firstShop,
        product!.id,
        variants.map(({ id, price }) => ({ variantId: id, price: price + more })),
      )
    const inShop = async () => (await shopState()).prices.map(each => Number(each.split(' ')[1]))
    const own = variants.map(({ price }) => price + 400)

    const never = await priceTest()
    await set(400)
    t.match(await apply(never, 'control'), { status: 'Ended', appliedArm: 'control' })
    t.same(await inShop(), own, 'what the merchant set while the test ran')

    await set(0)
    const applied = await priceTest()
    await apply(applied)
    await set(400)
    await apply(applied, 'control')
    t.same(await inShop(), own, 'what the merchant set after the variant was applied')
    await set(0)
  },
)

t.test(
  'the script shows the page element that won to every visitor, and no visitor is counted',
  async t => {
    const changes = [
      {
        id: '00000000-0000-0000-0000-000000000000',
        urlPatterns: ['/products/*'],
        actions: [{ selector: '.buy', kind: 'text', value: 'Take it home', name: '' }],
      },
    ]
    const test = await seedTest(db, store, {
      kind: 'PageElement',
      dom_selectors: JSON.stringify(changes),
      pages: '["/products/*"]',
    })
    const running = await seedTest(db, store, {
      kind: 'PageElement',
      dom_selectors: JSON.stringify(changes),
      pages: '["/products/*"]',
    })
    const { hypotheses } = await call('test', { params: { id: test } })
    const hypothesis = hypotheses.find(each => each.arm === 'variant')!.id
    await apply(test)
    const script = await inScript()
    const told = () => scriptTests(db.kysely, store, now.at)
    t.same(
      (await told()).always,
      [{ ...changes[0]!.actions[0], pages: ['/products/*'] }],
      'separate from the tests, because no visitor is assigned',
    )
    t.notMatch(script, hypothesis)
    t.notMatch(script, `id:"${test}"`)
    t.match(script, `id:"${running}"`)

    // An older script may still be in a browser's cache.
    const at = now.at.getTime(),
      visitor = '11111111-1111-4111-8111-111111111111'
    const event = (kind: string, tests?: string[]) => ({
      id: crypto.randomUUID(),
      at,
      kind,
      path: '/products/mug',
      ...(tests && { tests }),
    })
    const beacon = {
      v: 1,
      shop: firstShop,
      visitor,
      session: '22222222-2222-4222-8222-222222222222',
      isNew: true,
      landing: '/',
      referrer: '',
      sent: at,
      tests: { [hypothesis]: [1, 7] },
      events: [event('exposure', [hypothesis]), event('view'), event('click', [hypothesis])],
    }
    const taken = await engine.app.inject({
      method: 'POST',
      url: '/collect',
      payload: JSON.stringify(beacon),
      headers: {
        'content-type': 'text/plain',
        origin: shopOrigin,
        'user-agent':
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140 Safari/537.36',
      },
    })
    t.equal(taken.statusCode, 204, taken.body)
    await engine.rollUp()
    for (const id of [test, running])
      t.match((await call('test', { params: { id } })).summary, { visitors: [0, 0], setAside: 0 })

    await t.rejects(
      call('deleteTest', { params: { id: test } }),
      like({ status: 409, problem: { message: /shown to everyone/ } }),
    )
    await apply(test, 'control')
    t.same((await told()).always, [])
    await t.resolves(call('deleteTest', { params: { id: test } }))
  },
)

t.test('an arm that cannot be applied is refused with a message, and the test stays', async t => {
  const api = await seedTest(db, store, { kind: 'Api' })
  await t.rejects(apply(api), like({ status: 409, problem: { message: /your developer ships/ } }))
  t.match(await call('test', { params: { id: api } }), { status: 'Active', appliedArm: null })
  const never = await seedTest(db, store, { status: 'Scheduled', start_at: null })
  await t.rejects(apply(never), like({ status: 409, problem: { message: /never run/ } }))
  const { test, file } = await templateTest('product')
  await db.kysely.deleteFrom('journal').where('test_id', '=', test).execute()
  await merchant.deleteThemeFiles(firstShop, themeId, [file])
  await t.rejects(
    apply(test),
    like({ status: 409, problem: { message: /has no template product\.ts-/ } }),
  )
  t.same(await shopState(), untouched)
})

t.test('of two requests at once, the arm is applied once', async t => {
  const { test } = await templateTest('product')
  const [a, b] = await Promise.all([apply(test), apply(test)])
  t.same([a!.appliedArm, b!.appliedArm], ['variant', 'variant'])
  await apply(test)
  t.equal(
    (await call('test', { params: { id: test } })).events.filter(
      each => each.detail === 'Variant applied',
    ).length,
    1,
  )
  const both = await Promise.allSettled([apply(test, 'control'), apply(test, 'variant')])
  t.ok(both.every(each => each.status === 'fulfilled' || (each.reason as Refused).status === 409))
  await apply(test, 'control')
  t.same(await shopState(), untouched)
})

t.test(
  'an arm that is applied while the check undoes changes of ended tests stays applied',
  async t => {
    const made = [
      { ...(await templateTest('product')), type: 'product' as const },
      { ...(await templateTest('page')), type: 'page' as const },
    ]
    // First let the engine's own check finish its work.
    await shop.delivered()
    await engine.runJobs()
    await db.kysely
      .updateTable('tests')
      .set({ status: 'Ended', ended_at: now.at })
      .where(
        'test_id',
        'in',
        made.map(({ test }) => test),
      )
      .execute()
    // A shop that delays the deletion of the first file.
    const reached = Promise.withResolvers<void>(),
      answered = Promise.withResolvers<void>()
    const slow: Platform = {
      ...platform,
      deleteThemeFiles: async (...asked) => {
        reached.resolve()
        await answered.promise
        return platform.deleteThemeFiles(...asked)
      },
    }
    const clock = () => now.at
    const context = {
      db,
      clock,
      platform: slow,
      journal: startJournal({ db, platform: slow, clock }),
      jobs: { add: (on: Reader, job: NewJob) => add(on, job, clock()), cancel },
      log: quietLog,
    } as unknown as EngineContext
    const checking = checkTests(context, { storeId: store, signal: new AbortController().signal })
    await reached.promise
    const applying: Promise<void>[] = []
    for (const { test } of made) {
      await db.kysely
        .updateTable('tests')
        .set({ applying_arm: 'variant', applying_until: new Date(0) })
        .where('test_id', '=', test)
        .execute()
      applying.push(finishApplications(context, store))
    }
    answered.resolve()
    await Promise.all([checking, ...applying])
    for (const { test, variant, file, type } of made) {
      t.match(await call('test', { params: { id: test } }), { appliedArm: 'variant' }, type)
      t.ok(
        (await suffixes(type)).some(each => each.endsWith(variant)),
        `pages of type ${type} use the template`,
      )
      t.ok(await body(file), 'the template file exists')
      await apply(test, 'control')
    }
    t.same(await shopState(), untouched)
  },
)

t.test('an application that a crash interrupted is finished once by the next check', async t => {
  const { test, variant } = await templateTest('product')
  await call('updateTest', { params: { id: test }, body: { status: 'Ended' } })
  await db.kysely
    .updateTable('tests')
    .set({ applying_arm: 'variant', applying_until: new Date(0) })
    .where('test_id', '=', test)
    .execute()
  await db.kysely
    .insertInto('jobs')
    .values({
      store_id: store,
      job_id: crypto.randomUUID(),
      kind: 'testCheck',
      payload: '{}',
      state: '{}',
      status: 'queued',
      progress: 0,
      message: null,
      run_at: now.at,
      created_at: now.at,
      updated_at: now.at,
    })
    .execute()
  await engine.runJobs()
  t.match(await call('test', { params: { id: test } }), { appliedArm: 'variant' })
  t.ok((await suffixes('product')).some(each => each.endsWith(variant)))
  await engine.runJobs()
  t.equal(
    (await call('test', { params: { id: test } })).events.filter(
      each => each.detail === 'Variant applied',
    ).length,
    1,
  )
  await apply(test, 'control')
  t.same(await shopState(), untouched)
})
