import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createContext, runInContext } from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { setTimeout as wait } from 'node:timers/promises'
import type { ScriptConfig } from '../../../domain/script/script-config.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { previews } from '../../../engine/drafts/previews.ts'
import { scriptChanges } from '../../../engine/script/script-body.ts'
import { publishedScripts } from '../../../engine/script/scripts.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, secondShop, sessionSecret } from '../support/small-shop.ts'
/** Runs the script as a browser does; returns its configuration. */
function run(script: string): ScriptConfig {
  const page = createContext({})
  runInContext(script, page)
  return JSON.parse(JSON.stringify((page as { ran: ScriptConfig }).ran)) as ScriptConfig
}
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('waited in vain')
    await wait(20)
  }
}
const change = (value: string) => [
  {
    id: '',
    urlPatterns: ['/*'],
    actions: [{ selector: 'h1', kind: 'text' as const, value, name: '' }],
  },
]

t.test(
  'the published script has only the running tests, with no private field and with safe characters',
  async t => {
    const { db, shop, call, close } = await startEngine()
    t.teardown(close)
    const hostile = '</script><!-- \u2028 $& $1 "'
    const draft = await call('createDraft', {
      body: { kind: 'PageElement', title: 'Secret plan', hypothesisDescription: 'Hidden belief' },
    })
    await call('setDomSelectors', {
      params: { id: draft.hypotheses[1]!.id },
      body: { domSelectors: change(hostile) },
    })
    const { testId } = await call('launchDraft', { params: { id: draft.id } })
    const script = shop.scripts.at(-1)!
    t.same(run(script), {
      shop: firstShop,
      collect: /^https:\S+collect\?[\w-]{4}$/.exec(run(script).collect)![0],
      preview: `https://app.example.test/s/preview.js?shop=${firstShop}&token=`,
      tests: [
        { id: testId, weights: [0.5, 0.5], pages: ['/*'], changes: [['h1', 'text', hostile]] },
      ],
    })
    t.notMatch(script, /<|\u2028|Secret plan|Hidden belief/)
    await seedTest(db, (await call('storeInfo', {})).id, { status: 'Paused' })
    t.equal(run(shop.scripts.at(-1)!).tests.length, 1)
  },
)

t.test('our own address serves the same bytes, compressed as the browser asks', async t => {
  const { engine, shop, close } = await startEngine()
  t.teardown(close)
  const get = (headers: object = {}) =>
    engine.app.inject({ url: `/s/${firstShop}.js`, headers: headers as Record<string, string> })
  const plain = await get()
  t.equal(plain.payload, shop.scripts.at(-1))
  t.match(plain.headers, {
    'content-type': /javascript/,
    'cache-control': /max-age=60, stale-while-revalidate=\d+, stale-if-error=\d+/,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  t.equal(
    brotliDecompressSync((await get({ 'accept-encoding': 'gzip, br' })).rawPayload).toString(),
    plain.payload,
  )
  t.equal(
    gunzipSync((await get({ 'accept-encoding': 'gzip' })).rawPayload).toString(),
    plain.payload,
  )
  const same = await get({ 'if-none-match': `"x", ${String(plain.headers['etag'])}` })
  t.same([same.statusCode, same.payload, same.headers['etag']], [304, '', plain.headers['etag']])
  t.equal((await engine.app.inject('/s/nobody.demo-shop.test.js')).statusCode, 404)
  t.equal((await engine.app.inject(`/s/${firstShop}`)).statusCode, 404)
})

t.test(
  'a shop that is down does not stop a launch, and gets the script when it is back',
  async t => {
    const { engine, shop, call, close, db } = await startEngine()
    t.teardown(close)
    shop.isDown = true
    const draft = await call('createDraft', {
      body: { kind: 'PageElement', title: 'During the storm' },
    })
    await call('setDomSelectors', {
      params: { id: draft.hypotheses[1]!.id },
      body: { domSelectors: change('New') },
    })
    const { testId } = await call('launchDraft', { params: { id: draft.id } })
    t.match(
      (await engine.app.inject(`/s/${firstShop}.js`)).payload,
      testId,
      'our own address has the script already',
    )
    const before = shop.scripts.length
    await until(
      async () =>
        (
          await db.kysely
            .selectFrom('published_scripts')
            .select('attempts')
            .executeTakeFirstOrThrow()
        ).attempts >= 2,
    )
    t.match(
      await db.kysely
        .selectFrom('published_scripts')
        .select('last_error')
        .executeTakeFirstOrThrow(),
      { last_error: /503/ },
    )
    shop.isDown = false
    await until(() => shop.scripts.length > before)
    t.match(shop.scripts.at(-1), testId)
    await until(
      async () =>
        (
          await db.kysely
            .selectFrom('published_scripts')
            .select(['attempts', 'last_error'])
            .executeTakeFirstOrThrow()
        ).attempts === 0,
    )
  },
)

t.test(
  'a publication requested before a crash is done after it; a new release publishes again',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const store = await seedStore(db)
    const test = await seedTest(db, store)
    // As a crash leaves it: the change's transaction requested the publication, but no process
    // started it.
    await db.kysely
      .insertInto('published_scripts')
      .values({ store_id: store, wanted: 3, published: 2, next_attempt_at: new Date(0) })
      .execute()
    const first = await startEngine({ db })
    await until(() => first.shop.scripts.length > 0)
    t.match(first.shop.scripts.at(-1), test)
    await first.close()
    await db.kysely.updateTable('published_scripts').set({ runtime: 'an older one' }).execute()
    const second = await startEngine({ db })
    await until(() => second.shop.scripts.length > 0)
    await until(
      async () =>
        (
          await db.kysely
            .selectFrom('published_scripts')
            .select('runtime')
            .executeTakeFirstOrThrow()
        ).runtime !== 'an older one',
    )
    await second.close()
  },
)

t.test(
  'when our public address changes, every script is published again with the new one',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const first = await startEngine({ db })
    t.match(run(first.shop.scripts.at(-1)!).collect, 'https://app.example.test/collect?')
    await first.close()
    const second = await startEngine({ db }, { PUBLIC_ORIGIN: 'https://moved.example.test' })
    t.teardown(() => second.close())
    await until(() => second.shop.scripts.length > 0)
    t.match(run(second.shop.scripts.at(-1)!), {
      collect: /^https:\/\/moved\.example\.test\/collect\?[\w-]{4}$/,
      preview: `https://moved.example.test/s/preview.js?shop=${firstShop}&token=`,
    })
  },
)

t.test('a script is read from the database once for many requests', async t => {
  const { db, engine, close } = await startEngine()
  t.teardown(close)
  await engine.app.inject(`/s/${firstShop}.js`)
  const { etag } = await db.kysely
    .selectFrom('published_scripts')
    .select('etag')
    .executeTakeFirstOrThrow()
  let read = 0
  const published = publishedScripts({
    kysely: db.kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        read += result.rows.filter(row => 'brotli' in row).length
        return result
      },
    }),
  })
  const ask = async () => (await published(firstShop))?.etag
  t.same([...new Set(await Promise.all(Array.from({ length: 5 }, ask)))], [etag])
  for (let n = 0; n < 5; n++) t.equal(await ask(), etag)
  t.equal(read, 1)
  await db.kysely.updateTable('published_scripts').set({ etag: 'another' }).execute()
  t.equal(await ask(), 'another')
  await db.kysely.updateTable('published_scripts').set({ body: null }).execute()
  t.equal(await ask(), undefined)
})

t.test('changes during a publication are in the next one', async t => {
  const { db, shop, call, close } = await startEngine()
  t.teardown(close)
  const store = (await call('storeInfo', {})).id
  const drafts = await Promise.all(
    Array.from({ length: 5 }, async (_, i) => {
      const draft = await call('createDraft', { body: { kind: 'PageElement', title: `Test ${i}` } })
      await call('setDomSelectors', {
        params: { id: draft.hypotheses[1]!.id },
        body: { domSelectors: change(`Text ${i}`) },
      })
      return draft
    }),
  )
  await Promise.all(drafts.map(draft => call('launchDraft', { params: { id: draft.id } })))
  t.equal(run(shop.scripts.at(-1)!).tests.length, 5)
  t.match(
    await db.kysely
      .selectFrom('published_scripts')
      .select(eb => eb('wanted', '=', eb.ref('published')).as('done'))
      .where('store_id', '=', store)
      .executeTakeFirst(),
    { done: true },
  )
})

t.test('a shop that does not answer delays no page: links preview the home page', async t => {
  // Keeps the process alive during the wait.
  const waiting = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(waiting))
  let asked = 0
  const searchPages = () => {
    asked++
    return new Promise<never>(() => {})
  }
  const links = previews(
    { searchPages } as unknown as Platform,
    authTokens([sessionSecret], () => new Date()),
  )
  const hosts = { shop: firstShop, domain: firstShop, origin: 'http://localhost:3002' }
  for (let i = 0; i < 3; i++)
    t.equal(
      new URL(
        (
          await links.urls({
            storeId: randomUUID(),
            of: 'draft',
            id: randomUUID(),
            hosts,
            pages: ['/products/*'],
          })
        )[1],
      ).pathname,
      '/',
    )
  t.equal(asked, 1, 'one wait for all pages of the next minute')
})

t.test('changes name their pages if they are not all for the same pages', async t => {
  const group = (selector: string, ...urlPatterns: string[]) => ({
    id: '',
    urlPatterns,
    actions: [{ selector, kind: 'hide' as const, value: '', name: '' }],
  })
  const told = (dom_selectors: ReturnType<typeof group>[], pages: string[], isApart?: boolean) =>
    scriptChanges({ dom_selectors, pages }, isApart).map(({ selector, pages }) => [selector, pages])
  t.same(told([group('h1', '/products/*'), group('h2', ' /products/* ')], ['/products/*']), [
    ['h1', undefined],
    ['h2', undefined],
  ])
  t.same(
    told(
      [
        group('h1', '/products/*'),
        group('.price', 'https://pots.example/collections/*'),
        group('.all'),
      ],
      ['/products/*', '/collections/*'],
    ),
    [
      ['h1', ['/products/*']],
      ['.price', ['/collections/*']],
      ['.all', ['/products/*', '/collections/*']],
    ],
    'paths, as the launch stores them',
  )
  t.same(told([group('h1')], ['/'], true), [['h1', ['/']]])
})

t.test('a change that older rules allowed is not published', async t => {
  const actions = (['text', 'html', 'attribute', 'style'] as const).map((kind, i) => ({
    selector: `h${i + 1}`,
    kind,
    name: ['', '', 'type', 'background'][i]!,
    value: ['a', '<iframe src=/x>', 'text/javascript', 'url(//x.example)'][i]!,
  }))
  t.same(
    scriptChanges({ dom_selectors: [{ id: '', urlPatterns: [], actions }], pages: ['/'] }).map(
      ({ selector }) => selector,
    ),
    ['h1'],
  )
})

t.test(
  'a preview link shows one arm of a draft, works after the launch, and cannot be forged',
  async t => {
    const { engine, shop, now, call, close } = await startEngine()
    t.teardown(close)
    const draft = await call('createDraft', {
      body: { kind: 'PageElement', title: 'To be seen', variantTitle: 'Bolder' },
    })
    await call('setDomSelectors', {
      params: { id: draft.hypotheses[1]!.id },
      body: { domSelectors: [{ ...change('New')[0]!, urlPatterns: ['/products/*'] }] },
    })
    const { previewUrls } = await call('draft', { params: { id: draft.id } })
    const [control, variant] = previewUrls.map(url => new URL(url))
    for (const url of [control!, variant!])
      t.equal(url.origin + url.pathname, `${shop.origin}/products/mug`, 'a page that exists')
    const load = (url: URL) =>
      engine.app.inject(
        `/s/preview.js?shop=${firstShop}&token=${url.searchParams.get('twinshelf_preview')!}`,
      )
    const loaded = await load(variant!)
    t.match(loaded.headers, { 'cache-control': 'no-store', 'content-type': /javascript/ })
    const config = run(loaded.payload)
    t.match(
      config,
      {
        tests: [{ id: draft.id, changes: [{ value: 'New' }] }],
        previewing: {
          arm: 1,
          title: 'To be seen',
          armTitles: ['Control', 'Bolder'],
          editor: 'http://localhost:3000',
        },
      },
      'only the app may edit on the page',
    )
    const other = new URL(config.previewing!.otherUrl!, variant!)
    t.equal(other.pathname, '/products/mug', 'the other arm on the same page')
    t.equal(run((await load(other)).payload).previewing!.arm, 0)
    const { testId } = await call('launchDraft', { params: { id: draft.id } })
    const launched = await load(variant!)
    t.equal(launched.statusCode, 200)
    t.equal(run(launched.payload).previewing!.editor, undefined, 'a test cannot be edited')
    t.ok(testId)
    const { token } = await call('auth', { body: { idToken: await shop.idToken() } })
    const good = variant!.searchParams.get('twinshelf_preview')!
    for (const [name, bad] of Object.entries({
      none: '',
      noise: 'x',
      'access token': token,
      cut: good.slice(0, -2),
      'alg none': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
    }))
      t.equal(
        (await engine.app.inject(`/s/preview.js?shop=${firstShop}&token=${bad}`)).statusCode,
        403,
        name,
      )
    for (const [shop, status] of [
      [secondShop, 403],
      ['', 403],
      [`${firstShop}&shop=${secondShop}`, 400],
    ] as const)
      t.equal(
        (await engine.app.inject(`/s/preview.js?shop=${shop}&token=${good}`)).statusCode,
        status,
        `a good token on the pages of "${shop}"`,
      )
    t.equal(
      (await engine.app.inject(`/s/preview.js?token=${good}`)).statusCode,
      400,
      'a request that does not name the shop',
    )
    t.equal((await engine.app.inject('/s/preview.js')).statusCode, 400)
    now.at = new Date(now.at.getTime() + 8 * 86_400_000)
    t.equal((await load(variant!)).statusCode, 403, 'a week later')
  },
)

t.test('a preview checks the target of its redirect again', async t => {
  const { engine, db, call, close } = await startEngine()
  t.teardown(close)
  const draft = await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Guide' } })
  const previewed = async (control_url: string, redirect_url: string) => {
    // As an older release or a manual change of the database left it.
    await db.kysely
      .updateTable('drafts')
      .set({ control_url, redirect_url })
      .where('draft_id', '=', draft.id)
      .execute()
    const {
      previewUrls: [, variant],
    } = await call('draft', { params: { id: draft.id } })
    const { tests, previewing } = run(
      (
        await engine.app.inject(
          `/s/preview.js?shop=${firstShop}&token=${new URL(variant).searchParams.get('twinshelf_preview')!}`,
        )
      ).payload,
    )
    return [tests[0]!.to, previewing!.otherUrl!.replace(/twinshelf_preview=.*/, '')]
  }
  t.same(await previewed('/pages/gift-guide', '/pages/gift-guide-2026'), [
    '/pages/gift-guide-2026',
    '/pages/gift-guide?',
  ])
  for (const hostile of [
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/.//elsewhere.example',
    'javascript:alert(1)',
  ])
    t.same(await previewed(hostile, hostile), ['', '?'], hostile)
})
