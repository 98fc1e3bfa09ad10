import t from 'tap'
import type { LaunchChecks } from '../../../../domain/tests/launch-check.ts'
import type { DraftCreate } from '../../../../domain/drafts/draft.ts'
import { layersFor } from '../../../../engine/tests/exclusion.ts'
import {
  contentHash,
  findingsOf,
  keepFindings,
} from '../../../../engine/tests/launch/launch-findings.ts'
import { launchCheck, uncompared } from '../../../../domain/tests/launch-check.ts'
import { themeTarget } from '../../../../domain/tests/test-target.ts'
import { armsAlike } from '../../../../engine/tests/arms-alike.ts'
import { draftRow } from '../../../../engine/drafts/draft-rows.ts'
import { refusal, type Refused } from '../../support/engine.ts'
import { like } from '../../support/like.ts'
import { firstShop } from '../../support/small-shop.ts'
import { seedTest } from '../../support/seeds.ts'
import { startWithShop } from '../../support/with-shop.ts'

const own = await startWithShop({}, { CHROMIUM_PATH: 'off' })
const { call, db, now, platform, close } = own
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const day = 86_400_000
const element = (pattern: string | string[], selector = '.product-form__submit') => [
  {
    id: '',
    urlPatterns: [pattern].flat(),
    actions: [{ selector, kind: 'text' as const, value: 'Take it', name: '' }],
  },
]
async function draft(
  over: DraftCreate,
  pattern: string | string[] = '/products/*',
): Promise<string> {
  const { id, hypotheses } = await call('createDraft', { body: { title: 'A test', ...over } })
  if (over.kind === 'PageElement')
    await call('setDomSelectors', {
      params: { id: hypotheses[1]!.id },
      body: { domSelectors: element(pattern) },
    })
  return id
}
const checks = (id: string): Promise<LaunchChecks> => call('draftChecks', { params: { id } })
const line = async (id: string, name: string) =>
  (await checks(id)).checks.find(check => check.name === name)
const launch = (id: string) => call('launchDraft', { params: { id } })
const fieldsOf = (error: Refused) => error.problem.fields?.map(({ field }) => field)
const themeOf = (id: string) => ({ ...themeTarget(id), hash: null })
const endAll = () => call('endAllTests', { body: { priceTestsOnly: false } })

t.test('a draft in order is green throughout, but for the browser that there is not', async t => {
  const id = await draft({ kind: 'PageElement' })
  const { version, checks: quick, browser, sharing } = await checks(id)
  t.same(
    quick.map(({ name, tone }) => [name, tone]),
    [
      'filled',
      'plan',
      'visitors',
      'script',
      'pages',
      'sharing',
      'audience',
      'schedule',
      'length',
    ].map(name => [name, 'good']),
  )
  t.match(browser, {
    state: 'none',
    checks: [{ name: 'browser', tone: 'warn', message: /cannot be opened automatically/ }],
    jobId: null,
  })
  t.same(sharing, { tests: [], days: 14, daysAlone: 14 })
  t.equal(version, (await call('draft', { params: { id } })).version)
  t.same(await call('startDraftChecks', { params: { id } }), { jobId: null })
  await t.rejects(checks('00000000-0000-4000-8000-000000000000'), like({ status: 404 }))
  await launch(id)
  t.match(await line(await draft({ kind: 'PageElement' }, '/cart'), 'script'), {
    tone: 'good',
    message: 'Installed and up to date.',
  })
  await endAll()
})

t.test(
  'what is missing is red at its field, and a launch is refused with the same words',
  async t => {
    const empty = await draft({ kind: 'UrlRedirect', title: ' ' })
    t.match(
      (await checks(empty)).checks.filter(({ tone }) => tone === 'bad'),
      [
        { name: 'filled', field: 'title' },
        { name: 'redirect', field: 'controlUrl' },
        { name: 'redirect', field: 'redirectUrl' },
      ],
    )
    t.same(fieldsOf(await refusal(launch(empty))), ['title', 'controlUrl', 'redirectUrl'])
  },
)

t.test('a pattern that no page fits', async t => {
  const never = await draft({ kind: 'PageElement' }, '/produkte/*')
  t.match(await line(never, 'pages'), {
    tone: 'bad',
    field: 'urlPatterns',
    message: /^No page of the shop matches\./,
  })
  t.match(await refusal(launch(never)), {
    status: 400,
    problem: { fields: [{ field: 'urlPatterns', message: /^No page of the shop matches\./ }] },
  })
  const some = await draft({ kind: 'PageElement' }, ['/produkte/*', '/products/*'])
  t.match(await line(some, 'pages'), {
    tone: 'warn',
    message: 'No page of the shop matches “/produkte/*” now.',
  })
  t.match(
    await line(await draft({ kind: 'PageElement' }, ['/search?q=mug']), 'pages'),
    { tone: 'good' },
    'a page that no search finds',
  )
})

t.test('a redirect that leads on, or nowhere', async t => {
  const redirect = (path: string, target: string) =>
    platform.createUrlRedirect(firstShop, { path, target })
  await redirect('/pages/old', '/pages/older')
  await redirect('/pages/older', '/pages/about')
  await redirect('/pages/lost', '/pages/nowhere')
  for (const [redirectUrl, message] of [
    [
      '/pages/old',
      'This address leads on to another: /pages/old → /pages/older → /pages/about. Name /pages/about itself.',
    ],
    [
      '/pages/lost',
      'This address leads to a page that is not there: /pages/lost → /pages/nowhere.',
    ],
    ['/pages/nowhere', 'The shop has no page at this address.'],
  ] as const) {
    const id = await draft({ kind: 'UrlRedirect', controlUrl: '/pages/gift-guide', redirectUrl })
    t.match(
      await line(id, 'redirect'),
      { tone: 'bad', field: 'redirectUrl', message },
      String(redirectUrl),
    )
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
    t.match(await refusal(call('validateRedirectUrl', { query: { redirectUrl } })), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
  }
  const id = await draft({
    kind: 'UrlRedirect',
    controlUrl: '/pages/gift-guide#top',
    redirectUrl: '/pages/about',
  })
  t.match(await line(id, 'redirect'), { tone: 'good' })
  const { testId } = await launch(id)
  t.same(
    (await call('test', { params: { id: testId } })).pages,
    ['/pages/gift-guide'],
    'what stands behind # never reaches the page',
  )
  await endAll()
})

t.test(
  'a redirect to the page it comes from is red; one that differs by its query is amber, for it cannot be applied',
  async t => {
    const same = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide#top',
    })
    t.match(await line(same, 'redirect'), {
      tone: 'bad',
      field: 'redirectUrl',
      message: 'The variant must be another page than the control.',
    })
    t.same(fieldsOf(await refusal(launch(same))), ['redirectUrl'])
    const query = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide?v=2',
    })
    t.match(await line(query, 'redirect'), {
      tone: 'warn',
      field: 'redirectUrl',
      message: /same page with a different query/,
      remedy: /not apply it from here/,
    })
  },
)

t.test(
  'a redirect to another test’s page shares its visitors; two that lead to each other are refused',
  async t => {
    const redirect = (title: string, controlUrl: string, redirectUrl: string) =>
      draft({ kind: 'UrlRedirect', title, controlUrl, redirectUrl })
    const there = await launch(await redirect('There', '/pages/about', '/pages/shipping'))
    const on = await redirect('On', '/pages/gift-guide', '/pages/about')
    t.match(await line(on, 'redirect'), {
      tone: 'warn',
      message: 'The variant is the page that “There” sends visitors on from.',
    })
    t.match(await line(on, 'sharing'), { tone: 'warn', message: /“There”/ })
    t.match(
      (await checks(await draft({ kind: 'PageElement' }, '/pages/shipping'))).sharing.tests,
      [{ id: there.testId }],
      'the variant’s visitors are there',
    )
    const back = await redirect('Back', '/pages/shipping', '/pages/about')
    const message =
      '“There” leads from there back to /pages/shipping: the tests would go in a circle. Name another page, or end that test first.'
    t.match(await line(back, 'redirect'), { tone: 'bad', field: 'redirectUrl', message })
    t.match(await refusal(launch(back)), {
      status: 400,
      problem: { fields: [{ field: 'redirectUrl', message }] },
    })
    await launch(on)
    t.match(
      await refusal(launch(await redirect('Round', '/pages/shipping', '/pages/gift-guide'))),
      { problem: { fields: [{ message: /^“On” and “There” lead from there back/ }] } },
    )
    await endAll()
    t.match(await line(back, 'redirect'), { tone: 'good' })
  },
)

t.test(
  'audiences of the store’s own need a plan that opens them, also when they are older than the plan',
  async t => {
    const { id: audience } = await call('createAudience', {
      body: { name: 'From search', values: { 2: { operator: 'Equals', value: 'search' } } },
    })
    const id = await draft({
      kind: 'UrlRedirect',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/about',
      audienceIds: [audience],
    })
    t.match(await line(id, 'plan'), { tone: 'good' })
    const { plan_id, feature_flags } = await db.kysely
      .selectFrom('stores')
      .select(['plan_id', 'feature_flags'])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: 'core-50k-monthly', feature_flags: '[]' })
      .where('store_id', '=', store)
      .execute()
    t.match(await line(id, 'plan'), {
      tone: 'bad',
      field: 'audienceIds',
      message: /^Custom audiences come with the Advanced plan/,
    })
    t.match(await refusal(launch(id)), {
      status: 403,
      problem: { message: /^Custom audiences come with the Advanced plan/ },
    })
    await call('updateDraft', { params: { id }, body: { audienceIds: [] } })
    t.match(await line(id, 'plan'), { tone: 'good' })
    await db.kysely
      .updateTable('stores')
      .set({ plan_id, feature_flags: JSON.stringify(feature_flags) })
      .where('store_id', '=', store)
      .execute()
  },
)

t.test('tests that would share its visitors are named, and both take longer', async t => {
  const first = await launch(await draft({ kind: 'PageElement', title: 'Badge' }))
  const id = await draft({ kind: 'PageElement', title: 'Button' }, '/*-mug')
  t.match(await checks(id), { sharing: { tests: [{ id: first.testId, title: 'Badge' }] } })
  t.match(
    await line(id, 'sharing'),
    { tone: 'warn', message: 'Launch beside “Badge”: each gets half of the visitors.' },
    'with no past nothing is known of days',
  )
  t.match((await checks(await draft({ kind: 'PageElement' }, '/cart'))).sharing, { tests: [] })
  // Ten full days of 600 visitors, all of whom see products; a tenth buys.
  for (let n = 1; n <= 10; n++) {
    const date = new Date(now.at.getTime() - n * day),
      on = date.toISOString().slice(0, 10)
    const visitors = Array.from({ length: 600 }, (_, i) => `visitor-${n}-${i}`)
    await db.kysely
      .insertInto('store_visitors' as never)
      .values(
        visitors.map(visitor_id => ({ store_id: store, period: `day:${on}`, visitor_id })) as never,
      )
      .execute()
    await db.kysely
      .insertInto('events' as never)
      .values(
        visitors.map((visitor_id, i) => ({
          store_id: store,
          day: on,
          id: `event-${n}-${i}`,
          at: date,
          kind: 1,
          device: 0,
          set_aside: 0,
          is_bot: false,
          is_new: true,
          visitor_id,
          session_id: 'session-1',
          path: '/products/ash-glaze-mug',
          claims: '{}',
        })) as never,
      )
      .execute()
    await db.kysely
      .insertInto('orders' as never)
      .values(
        visitors
          .filter((_, i) => i % 10 === 0)
          .map((visitor_id, i) => ({
            store_id: store,
            order_id: `${n}-${i}`,
            created_at: date,
            day: on,
            visitor_id,
            amount: 5_000,
            refunded: 0,
            is_test: false,
            triggered_at: date,
          })) as never,
      )
      .execute()
  }
  const { sharing } = await checks(id)
  t.ok(
    sharing.daysAlone >= 28 && sharing.days >= Math.min(84, sharing.daysAlone * 1.8),
    `${sharing.daysAlone} and ${sharing.days} days`,
  )
  t.match(await line(id, 'sharing'), {
    message: `Launch beside “Badge”: both take about ${sharing.days - sharing.daysAlone} days longer.`,
  })
  const { testId } = await launch(id)
  const test = await call('test', { params: { id: testId } })
  t.equal(
    (Date.parse(test.endsAt!) - Date.parse(test.startAt!)) / day,
    sharing.days,
    'planned with the visitors it will get',
  )
  t.same(
    await layersFor(db.kysely, store),
    new Map([
      [first.testId, { layer: 0, rivals: [testId] }],
      [testId, { layer: 0, rivals: [first.testId] }],
    ]),
  )
  await endAll()
  t.equal((await layersFor(db.kysely, store)).size, 0)
})

t.test(
  'a template or theme that is gone, or does not fit, between the check and the launch',
  async t => {
    const id = await draft({ kind: 'Template' })
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const { variant } = await call('setVariant', { params: { id }, body: {} })
    const same = { field: 'content', message: /^The variant is still the same as the control\./ }
    t.match(await line(id, 'target'), { tone: 'bad', ...same })
    t.match(await refusal(launch(id)), { status: 400, problem: { fields: [same] } })
    const { version, sections } = await call('templateContent', { params: { id } })
    await call('setTemplateContent', {
      params: { id },
      body: { version, sections: [{ id: sections[0]!.id, isShown: false }] },
    })
    t.match(await line(id, 'target'), { tone: 'good' })
    const live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
    await platform.deleteThemeFiles(firstShop, live.id, [`templates/page.${variant!.suffix}.json`])
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: {
        fields: [
          {
            field: 'variant',
            message: `The live theme ${live.name} has no template page.${variant!.suffix}.`,
          },
        ],
      },
    })
    t.match(await line(id, 'target'), { tone: 'bad', field: 'variant' })

    const theme = await draft({ kind: 'Theme' }),
      other = (await platform.themes(firstShop)).find(({ role }) => role !== 'live')!
    await call('setControl', { params: { id: theme }, body: { themeId: live.id } })
    await call('setVariant', { params: { id: theme }, body: { themeId: other.id } })
    const { isCompatible, message } = await call('themeIsCompatible', {
      params: { id: other.id },
      query: { force: true },
    })
    t.match(
      await line(theme, 'target'),
      isCompatible
        ? { tone: 'good' }
        : {
            tone: 'bad',
            field: 'variant',
            message: `${message} Add them to it, or choose another theme.`,
          },
    )
  },
)

t.test(
  'two templates or themes with the same content are one arm twice; a shop that does not answer only warns',
  async t => {
    const id = await draft({ kind: 'Template' }),
      live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const [own] = await platform.themeFiles(firstShop, live.id, ['templates/page.json'])
    const write = (body: string) =>
      platform.writeThemeFiles(firstShop, live.id, [{ name: 'templates/page.twin.json', body }])
    await write(` ${own!.body}`)
    await call('setVariant', { params: { id }, body: { suffix: 'twin' } })
    t.match(
      await line(id, 'target'),
      { tone: 'bad', field: 'variant', message: /^Both templates have the same content/ },
      'spaces make no difference',
    )
    t.same(fieldsOf(await refusal(launch(id))), ['variant'])
    await write(own!.body.replace(/"order": \[/, '"order": [ '))
    t.match(await line(id, 'target'), { tone: 'bad' })
    const row = (await draftRow(db.kysely, store, id))!
    const silent = { ...platform, themeFiles: () => Promise.reject(new Error('no answer')) }
    t.equal(await armsAlike({ db, platform: silent, log: undefined as never }, row), 'unknown')
    t.match(uncompared, { name: 'target', tone: 'warn' })
    await platform.deleteThemeFiles(firstShop, live.id, ['templates/page.twin.json'])
    const other = (await platform.themes(firstShop)).find(({ role }) => role !== 'live')!
    const themes = {
      ...row,
      kind: 'Theme' as const,
      control_target: themeOf(live.id),
      variant_target: themeOf(live.id),
    }
    t.equal(await armsAlike({ db, platform, log: undefined as never }, themes), 'same')
    t.equal(
      await armsAlike(
        { db, platform, log: undefined as never },
        { ...themes, variant_target: themeOf(other.id) },
      ),
      'different',
    )
  },
)

t.test(
  'an audience that was deleted, a start that has passed, no subscription, no visitors left',
  async t => {
    const { id: audience } = await call('createAudience', {
      body: { name: 'Newsletter', values: { 2: { operator: 'Equals', value: 'email' } } },
    })
    const id = await draft({ kind: 'PageElement', audienceIds: [audience] })
    t.match(await line(id, 'audience'), {
      tone: 'warn',
      field: 'audienceIds',
      message: 'None of the last 28 days’ visitors was in the audience.',
    })
    await db.kysely
      .updateTable('drafts')
      .set({ launch_at: new Date(now.at.getTime() - day) })
      .where('draft_id', '=', id)
      .execute()
    t.match(await line(id, 'schedule'), {
      tone: 'warn',
      message: /starts as soon as it is launched/,
    })
    await call('deleteAudience', { params: { id: audience } })
    t.match(await line(id, 'audience'), {
      tone: 'bad',
      field: 'audienceIds.0',
      message: 'This audience is no longer there.',
    })
    t.same(fieldsOf(await refusal(launch(id))), ['audienceIds.0'])

    const fine = await draft({ kind: 'PageElement' })
    const { plan_id } = await db.kysely
      .selectFrom('stores')
      .select('plan_id')
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: null })
      .where('store_id', '=', store)
      .execute()
    t.match(
      (await checks(fine)).checks.filter(({ tone }) => tone === 'bad'),
      [{ name: 'plan' }],
    )
    await db.kysely.updateTable('stores').set({ plan_id }).where('store_id', '=', store).execute()
  },
)

t.test('prices of zero or less, products that are gone or in another price test', async t => {
  const {
    items: [first, second, third],
  } = await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 3 })
  const priced = async (productId: string, value: number) => {
    const id = await draft({ kind: 'Price', title: 'Dearer' })
    await call('createTestProduct', {
      body: { testDraftId: id, productId, rule: { kind: 'amount', value } },
    })
    return id
  }
  const id = await priced(first!.id, 250)
  t.match(await line(id, 'products'), {
    tone: 'good',
    message: 'All products are for sale and in no other price test.',
  })
  for (const value of [0, -1])
    await t.rejects(
      call('createTestProduct', {
        body: { testDraftId: id, productId: second!.id, rule: { kind: 'set', value } },
      }),
      like({ status: 400 }),
      `a price of ${value}`,
    )
  const { testId } = await launch(id)
  t.same(
    (await call('test', { params: { id: testId } })).pages,
    ['*'],
    'prices may be met anywhere',
  )
  const again = await priced(first!.id, 100)
  t.match(await line(again, 'products'), { tone: 'bad', field: 'products.0', message: /“Dearer”/ })
  t.match(await refusal(launch(again)), {
    status: 400,
    problem: { fields: [{ field: 'products.0', message: /“Dearer”/ }] },
  })
  const gone = await priced(third!.id, 100)
  await own.shop.app.inject({ method: 'POST', url: `/admin/products/${third!.id}/delete` })
  t.match(await line(gone, 'products'), { tone: 'bad', field: 'products.0' })
  t.same(fieldsOf(await refusal(launch(gone))), ['products.0'])
  await endAll()
})

t.test(
  'what a browser found of this very draft refuses the launch, until it is another',
  async t => {
    const id = await draft({ kind: 'PageElement' })
    const found = async () => (await draftRow(db.kysely, store, id))!
    const red = launchCheck('selectors', 'bad', '“.buy” finds nothing on the tested pages.', {
      remedy: 'Pick the element again.',
    })
    await keepFindings(
      { db, clock: () => now.at },
      await found(),
      await contentHash({ db, platform }, await found()),
      [red, launchCheck('errors', 'warn', 'Noise.')],
    )
    t.match(await refusal(launch(id)), {
      status: 400,
      problem: {
        fields: [
          {
            field: 'changes',
            message: '“.buy” finds nothing on the tested pages. Pick the element again.',
          },
        ],
      },
    })
    await call('updateDraft', { params: { id }, body: { title: 'Another name' } })
    t.equal((await refusal(launch(id))).status, 400, 'its name was not looked at')
    const { hypotheses } = await call('draft', { params: { id } })
    await call('setDomSelectors', {
      params: { id: hypotheses[1]!.id },
      body: { domSelectors: element('/products/*', 'h1') },
    })
    const { testId } = await launch(id)
    t.ok(testId)
    t.same(
      await db.kysely.selectFrom('launch_checks').select('draft_id').execute(),
      [],
      'findings go with their draft',
    )
    await keepFindings(
      { db, clock: () => now.at },
      { store_id: store, draft_id: id } as never,
      'x',
      [],
    )
    t.same(
      await db.kysely.selectFrom('launch_checks').select('draft_id').execute(),
      [],
      'a job that ends later keeps nothing',
    )
    await endAll()
  },
)

t.test(
  'what a browser found of a template is stale once its file is edited in the shop',
  async t => {
    const id = await draft({ kind: 'Template' })
    await call('setControl', { params: { id }, body: { type: 'page' } })
    const { variant } = await call('setVariant', { params: { id }, body: {} })
    const context = { db, platform },
      row = (await draftRow(db.kysely, store, id))!
    const begun = await contentHash(context, row)
    await keepFindings({ db, clock: () => now.at }, row, begun, [])
    t.equal((await findingsOf(context, row))?.isStale, false)
    const live = (await platform.themes(firstShop)).find(({ role }) => role === 'live')!,
      name = `templates/page.${variant!.suffix}.json`
    const [file] = await platform.themeFiles(firstShop, live.id, [name])
    await platform.writeThemeFiles(firstShop, live.id, [{ name, body: `${file!.body} ` }])
    t.equal((await findingsOf(context, row))?.isStale, true)
    await keepFindings({ db, clock: () => now.at }, row, begun, [])
    t.equal(
      (await findingsOf(context, row))?.isStale,
      true,
      'a browser that began before the edit says nothing of after it',
    )
  },
)

t.test('a script that is gone from the shop refuses a launch', async t => {
  const id = await draft({ kind: 'PageElement' })
  await platform.removeScript(firstShop)
  t.match(await line(id, 'script'), {
    tone: 'bad',
    message: 'The script is no longer on your shop.',
  })
  t.match(await refusal(launch(id)), {
    status: 400,
    problem: {
      fields: [
        { field: 'script', message: /^The script is no longer on your shop\. Contact support/ },
      ],
    },
  })
})

t.test('winners that everyone is shown are in no layer', async t => {
  const applied = await seedTest(db, store, { pages: '["/products/*"]', applied_arm: 'variant' }),
    running = await seedTest(db, store, { pages: '["/products/*"]' })
  t.equal((await layersFor(db.kysely, store)).size, 0)
  await db.kysely.deleteFrom('tests').where('test_id', 'in', [applied, running]).execute()
})
