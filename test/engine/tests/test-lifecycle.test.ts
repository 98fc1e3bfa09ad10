import t from 'tap'
import type { EngineContext } from '../../../engine/context.ts'
import { holdTests } from '../../../engine/tests/test-checks.ts'
import { resumeSuspended, suspendTests } from '../../../engine/tests/test-suspension.ts'
import type { Refused } from '../support/engine.ts'
import { launchedFrom } from '../support/launched.ts'
import { like } from '../support/like.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, call, db, now, shop, platform, close } = await startWithShop()
t.teardown(close)
const { id: store, themeId: live } = await call('storeInfo', {})
const themeId = live!
const otherTheme = (await platform.themes(firstShop)).find(theme => theme.id !== themeId)!.id
const day = 86_400_000
// Tokens last ten minutes: what is later is put back into the past instead.
const ago = (days: number) => new Date(now.at.getTime() - days * day)
const test = (id: string) => call('test', { params: { id } })
const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
  call('updateTest', { params: { id }, body: { status } })
const statusOf = async (id: string) => (await test(id)).status
const publisher = { request: async () => {}, publish: async () => {}, stop: async () => {} }
const context = { db, clock: () => now.at, platform, publisher } as unknown as EngineContext
const element = [
  {
    id: '00000000-0000-0000-0000-000000000000',
    urlPatterns: ['/products/*'],
    actions: [{ selector: '.buy', kind: 'text' as const, value: 'Take it', name: '' }],
  },
]
const alone = async () => {
  await call('endAllTests', { body: { priceTestsOnly: false } })
}

async function readyDraft(title = 'Scheduled') {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title } })
  await call('setDomSelectors', {
    params: { id: draft.hypotheses[1]!.id },
    body: { domSelectors: element },
  })
  return draft.id
}
async function templateTest() {
  const { id } = await call('createDraft', { body: { kind: 'Template', title: 'A template' } })
  await call('setControl', { params: { id }, body: { type: 'page' } })
  const { variant } = await call('setVariant', { params: { id }, body: {} })
  return {
    id: await launchedFrom(db, store, id, { start_at: now.at }),
    suffix: variant!.suffix!,
    file: `templates/page.${variant!.suffix}.json`,
  }
}
const due = (kind: 'scheduledStart' | 'scheduledEnd') =>
  db.kysely
    .selectFrom('jobs')
    .select(['run_at', 'status'])
    .where('store_id', '=', store)
    .where('kind', '=', kind)
    .where('status', '=', 'queued')
    .execute()
/** As if the instant had come. */
const come = async (
  id: string,
  column: 'launch_at' | 'automatically_end_at',
  kind: 'scheduledStart' | 'scheduledEnd',
) => {
  await db.kysely
    .updateTable('tests')
    .set({ [column]: ago(0.001) })
    .where('test_id', '=', id)
    .execute()
  await db.kysely
    .updateTable('jobs')
    .set({ run_at: ago(0.001) })
    .where('store_id', '=', store)
    .where('kind', '=', kind)
    .where('status', '=', 'queued')
    .execute()
  await engine.runJobs()
}

t.test(
  'a launch with its start ahead makes a scheduled test, which starts and ends by itself',
  async t => {
    const draft = await readyDraft()
    const launchAt = new Date(now.at.getTime() + 3 * day).toISOString(),
      automaticallyEndAt = new Date(now.at.getTime() + 30 * day).toISOString()
    await call('scheduleDraft', { params: { id: draft }, body: { launchAt, automaticallyEndAt } })
    const { testId } = await call('launchDraft', { params: { id: draft } })
    const scheduled = await test(testId)
    t.match(scheduled, { status: 'Scheduled', startAt: null, launchAt, automaticallyEndAt })
    t.same(
      scheduled.events.map(each => each.kind),
      ['Created'],
    )
    t.match(await due('scheduledStart'), [{ run_at: new Date(launchAt) }])
    const length = Date.parse(scheduled.endsAt!) - Date.parse(launchAt)

    const later = new Date(now.at.getTime() + 5 * day).toISOString()
    const moved = await call('scheduleTest', { params: { id: testId }, body: { launchAt: later } })
    t.match(moved, {
      launchAt: later,
      automaticallyEndAt,
      endsAt: new Date(Date.parse(later) + length).toISOString(),
    })
    t.match(await due('scheduledStart'), [{ run_at: new Date(later) }])
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { launchAt: null } }),
      like({ status: 400, problem: { fields: [{ field: 'launchAt' }] } }),
    )
    await engine.runJobs()
    t.equal(await statusOf(testId), 'Scheduled', 'not before its time')

    await come(testId, 'launch_at', 'scheduledStart')
    const started = await test(testId)
    t.match(started, { status: 'Active', startAt: now.at.toISOString() })
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { launchAt: later } }),
      like({ status: 400 }),
      'it has begun',
    )
    await come(testId, 'automatically_end_at', 'scheduledEnd')
    t.match(await test(testId), { status: 'Ended', endedAt: now.at.toISOString() })
    await t.rejects(
      call('scheduleTest', { params: { id: testId }, body: { automaticallyEndAt: null } }),
      like({ status: 409 }),
    )
  },
)

t.test(
  'an end that is taken back does not come; an end comes to what stands still as well',
  async t => {
    const automatically_end_at = new Date(now.at.getTime() + 2 * day)
    for (const status of ['Paused', 'OnHold', 'Suspended'] as const) {
      const id = await seedTest(db, store, { status, automatically_end_at })
      const again = new Date(now.at.getTime() + 4 * day).toISOString()
      t.equal(
        (await call('scheduleTest', { params: { id }, body: { automaticallyEndAt: again } }))
          .automaticallyEndAt,
        again,
      )
      await come(id, 'automatically_end_at', 'scheduledEnd')
      t.equal(await statusOf(id), 'Ended', status)
    }
    const id = await seedTest(db, store, { automatically_end_at })
    await call('scheduleTest', {
      params: { id },
      body: { automaticallyEndAt: automatically_end_at.toISOString() },
    })
    await call('scheduleTest', { params: { id }, body: { automaticallyEndAt: null } })
    t.same(await due('scheduledEnd'), [])
    await alone()
  },
)

t.test(
  'a test whose start has come while something is not in order is put on hold instead',
  async t => {
    const [byTime, byHand] = [
      await seedTest(db, store, { status: 'Scheduled', start_at: null, launch_at: ago(0.001) }),
      await seedTest(db, store, {
        status: 'Scheduled',
        start_at: null,
        launch_at: new Date(now.at.getTime() + day),
      }),
    ]
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status: 'Frozen' })
      .where('store_id', '=', store)
      .execute()
    await db.kysely
      .insertInto('jobs')
      .values({
        store_id: store,
        job_id: crypto.randomUUID(),
        kind: 'scheduledStart',
        payload: JSON.stringify({ testId: byTime }),
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
    t.match(await test(byTime), {
      status: 'OnHold',
      startAt: null,
      holdCause: {
        cause: 'notSubscribed',
        message: /no active subscription/,
        remedy: /Choose a plan/,
      },
    })
    t.match(await put(byHand, 'Active'), {
      status: 'OnHold',
      holdCause: { cause: 'notSubscribed' },
    })
    await t.rejects(
      put(byHand, 'Active'),
      like({ status: 409, problem: { message: /on hold cannot become running.*Choose a plan/ } }),
    )
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status: 'Active' })
      .where('store_id', '=', store)
      .execute()
    t.match(await put(byHand, 'Active'), {
      status: 'Active',
      holdCause: null,
      startAt: now.at.toISOString(),
    })
    await alone()
  },
)

t.test(
  'what the plan does not open any more neither starts nor resumes; what runs goes on',
  async t => {
    const ahead = {
      status: 'Scheduled' as const,
      start_at: null,
      launch_at: new Date(now.at.getTime() + day),
    }
    const [runs, paused, narrowed, element] = [
      await seedTest(db, store, { kind: 'Api' }),
      await seedTest(db, store, { kind: 'Api', status: 'Paused' }),
      await seedTest(db, store, {
        kind: 'Template',
        status: 'Paused',
        audience_ids: JSON.stringify([crypto.randomUUID()]),
      }),
      await seedTest(db, store, ahead),
    ]
    const before = await db.kysely
      .selectFrom('stores')
      .select(['plan_id', 'feature_flags'])
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    const on = (plan_id: string | null, feature_flags: string[]) =>
      db.kysely
        .updateTable('stores')
        .set({ plan_id, feature_flags: JSON.stringify(feature_flags) })
        .where('store_id', '=', store)
        .execute()
    await on('core-100k-monthly', [])
    await t.rejects(
      put(paused, 'Active'),
      like({
        status: 409,
        problem: {
          message:
            /^A test that is paused cannot become running\. API testing comes with the Advanced plan and above\./,
        },
      }),
    )
    await t.rejects(
      put(narrowed, 'Active'),
      like({ status: 409, problem: { message: /Custom audiences come with the Advanced plan/ } }),
    )
    t.match(await put(element, 'Active'), {
      status: 'OnHold',
      startAt: null,
      holdCause: {
        cause: 'notIncluded',
        message: /contact support to enable/,
        remedy: /resume the test/,
      },
    })
    t.match(await call('resumeOnHold', { body: { testIds: [element] } }), {
      resumed: [],
      refused: [{ id: element, message: /contact support to enable/ }],
    })
    t.equal((await test(runs)).status, 'Active')
    await on(before.plan_id, before.feature_flags)
    t.equal((await put(paused, 'Active')).status, 'Active')
    t.match(await call('resumeOnHold', { body: { testIds: [element] } }), { resumed: [element] })
    await alone()
  },
)

t.test(
  'a template that is taken away holds its test at once; made anew, the test resumes',
  async t => {
    const { id, file, suffix } = await templateTest()
    t.match(await call('templatesExist', { params: { id } }), {
      control: { exists: true },
      variant: { exists: true, changeState: 'Unmodified' },
    })
    t.match(await call('activeTest', { query: { type: 'page', suffix } }), {
      test: { id, status: 'Active' },
    })
    t.match(
      await call('activeTest', { query: { type: 'page' } }),
      { test: { id } },
      'the control’s too',
    )
    t.same(await call('activeTest', { query: { type: 'cart' } }), { test: null })
    await platform.deleteThemeFiles(firstShop, themeId, [file])
    await shop.delivered()
    await engine.runJobs()
    const held = await test(id)
    t.match(held, {
      status: 'OnHold',
      holdCause: {
        cause: 'templateGone',
        message: `The live theme Kiln has no template page.${suffix}.`,
        remedy: /resume the test/,
      },
    })
    t.match(held.events.at(-1), { kind: 'Paused', detail: held.holdCause!.message })
    t.match(await call('templatesExist', { params: { id } }), {
      control: { exists: true },
      variant: { exists: false, changeState: 'Removed' },
    })
    t.match(await call('resumeOnHold', { body: {} }), {
      resumed: [],
      refused: [{ id, message: /has no template/ }],
    })
    await t.rejects(
      call('setTestVariant', {
        params: { id: await seedTest(db, store, { kind: 'UrlRedirect', status: 'Paused' }) },
        body: {},
      }),
      like({ status: 409, problem: { message: /is paused/ } }),
    )
    t.match(await call('setTestVariant', { params: { id }, body: {} }), {
      status: 'OnHold',
      variant: { suffix },
    })
    t.match(await call('resumeOnHold', { body: { testIds: [id] } }), { resumed: [id], refused: [] })
    t.match(await test(id), { status: 'Active', holdCause: null })
    const other = await call('duplicateTest', { params: { id } })
    t.match(other, { title: 'Copy of A template', origin: 'Duplicate', variant: { isOurs: true } })
    t.not(other.variant!.suffix, suffix)
    await call('deleteDraft', { params: { id: other.id } })
    await alone()
    await engine.runJobs()
    t.same(
      (await platform.themeFiles(firstShop, themeId, ['templates/'])).filter(each =>
        each.name.includes('ts-'),
      ),
      [],
      'nothing of it is left',
    )
  },
)

t.test(
  'a theme published over another, or deleted, holds a theme test; the store follows',
  async t => {
    const target = (id: string) =>
      JSON.stringify({
        templateType: null,
        suffix: null,
        themeId: id,
        url: null,
        isOurs: false,
        hash: null,
      })
    const id = await seedTest(db, store, {
      kind: 'Theme',
      control_target: target(themeId),
      variant_target: target(otherTheme),
      live_theme_id: themeId,
      start_at: now.at,
    })
    await platform.publishTheme(firstShop, otherTheme)
    await shop.delivered()
    await engine.runJobs()
    t.match(await test(id), {
      status: 'OnHold',
      holdCause: { cause: 'themePublishedOver', message: /is live now/ },
    })
    t.equal((await call('storeInfo', {})).themeId, otherTheme)
    await platform.publishTheme(firstShop, themeId)
    t.match(await call('resumeOnHold', { body: {} }), { resumed: [id] })
    const gone = await seedTest(db, store, {
      kind: 'Theme',
      control_target: target(themeId),
      variant_target: target('999'),
      live_theme_id: themeId,
      start_at: now.at,
    })
    await shop.delivered()
    await engine.runJobs()
    await checkNow()
    t.match(await test(gone), { status: 'OnHold', holdCause: { cause: 'themeGone' } })
    t.match(await call('setTestVariant', { params: { id: gone }, body: { themeId: otherTheme } }), {
      variant: { themeId: otherTheme },
    })
    t.match(await call('resumeOnHold', { body: { testIds: [gone] } }), { resumed: [gone] })
    await alone()
  },
)

t.test(
  'a theme that lacks what the shop is drawn with holds its test, and is no variant until it has it',
  async t => {
    const target = (id: string) =>
      JSON.stringify({
        templateType: null,
        suffix: null,
        themeId: id,
        url: null,
        isOurs: false,
        hash: null,
      })
    const id = await seedTest(db, store, {
      kind: 'Theme',
      control_target: target(themeId),
      variant_target: target(otherTheme),
      live_theme_id: themeId,
      start_at: now.at,
    })
    const { file, suffix } = await call('duplicateTemplate', { body: { type: 'page', suffix: '' } })
    const [page] = await platform.resources(firstShop, 'page')
    await platform.assignTemplates(firstShop, [{ type: 'page', id: page!.id, suffix }])
    await checkNow()
    const { holdCause } = await test(id)
    t.match(holdCause, {
      cause: 'themeIncomplete',
      message: new RegExp(
        `lacks templates that the shop uses: page\\.${suffix} \\(used by 1\\)\\.`,
      ),
      remedy: /choose another theme/,
    })
    t.match(await call('resumeOnHold', { body: {} }), {
      resumed: [],
      refused: [{ id, message: `${holdCause!.message} ${holdCause!.remedy}` }],
    })
    await t.rejects(
      call('setTestVariant', { params: { id }, body: { themeId: otherTheme } }),
      like({
        status: 400,
        problem: {
          fields: [
            {
              field: 'themeId',
              message: `${holdCause!.message} Add them to it, or choose another theme.`,
            },
          ],
        },
      }),
    )
    const [{ body } = { body: '' }] = await platform.themeFiles(firstShop, themeId, [file])
    await platform.writeThemeFiles(firstShop, otherTheme, [{ name: file, body }])
    await t.resolves(call('setTestVariant', { params: { id }, body: { themeId: otherTheme } }))
    t.match(await call('resumeOnHold', { body: {} }), { resumed: [id] })
    await put(id, 'Paused')
    await platform.deleteThemeFiles(firstShop, otherTheme, [file])
    await t.rejects(
      put(id, 'Active'),
      like({
        status: 409,
        problem: { message: /paused cannot become running\. .* lacks templates/ },
      }),
    )
    await platform.assignTemplates(firstShop, [
      { type: 'page', id: page!.id, suffix: page!.suffix },
    ])
    t.match(await put(id, 'Active'), { status: 'Active' })
    await alone()
  },
)
async function checkNow() {
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
}

t.test(
  'a page, a price and a split that are not in order hold their tests, each with its cause',
  async t => {
    const page = await seedTest(db, store, {
      kind: 'UrlRedirect',
      control_url: '/pages/gift-guide',
      redirect_url: '/pages/nowhere',
      start_at: now.at,
    })
    const split = await seedTest(db, store, { start_at: now.at })
    await seedSummary(db, store, split, [1000, 1400])
    await db.kysely
      .updateTable('test_summaries')
      .set(eb => ({
        summary: eb.fn('jsonb_set', [
          'summary',
          eb.val('{verdict,kind}'),
          eb.val('"splitBroken"'),
        ]) as never,
      }))
      .where('test_id', '=', split)
      .execute()
    const {
      items: [product],
    } = await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 1 })
    const { id: draft } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
    await call('createTestProduct', {
      body: { testDraftId: draft, productId: product!.id, rule: { kind: 'amount', value: 250 } },
    })
    const price = await launchedFrom(db, store, draft, { start_at: now.at })
    const fine = await seedTest(db, store, {
      kind: 'UrlRedirect',
      control_url: '/pages/gift-guide',
      redirect_url: '/pages/about',
      start_at: now.at,
    })
    const variants = (await platform.productsById(firstShop, [product!.id]))[0]!.variants
    await platform.setPrices(
      firstShop,
      product!.id,
      variants.map(({ id, price }) => ({ variantId: id, price: price + 1 })),
    )
    await shop.delivered()
    await checkNow()
    t.match(await test(page), {
      status: 'OnHold',
      holdCause: { cause: 'pageGone', message: 'The shop has no page at /pages/nowhere.' },
    })
    t.match(await test(split), { status: 'OnHold', holdCause: { cause: 'splitBroken' } })
    t.match(await test(price), {
      status: 'OnHold',
      holdCause: { cause: 'priceMismatch', message: /costs .* in the shop now/ },
    })
    t.match(await test(fine), { status: 'Active', holdCause: null })
    await platform.setPrices(
      firstShop,
      product!.id,
      variants.map(({ id, price }) => ({ variantId: id, price })),
    )
    const back = await seedTest(db, store, {
      kind: 'UrlRedirect',
      title: 'Back',
      status: 'Paused',
      control_url: '/pages/shipping',
      redirect_url: '/Pages/gift-guide/',
      start_at: now.at,
    })
    const circle =
      '“Back” leads from there back to /pages/gift-guide: the tests would go in a circle. Name another page, or end that test first.'
    await t.rejects(
      call('setTestVariant', {
        params: { id: page },
        body: { redirectTestUrl: '/pages/shipping' },
      }),
      like({ status: 400, problem: { fields: [{ field: 'redirectTestUrl', message: circle }] } }),
    )
    t.match(await test(page), { redirectUrl: '/pages/nowhere' }, 'what is refused is not kept')
    await db.kysely.deleteFrom('tests').where('test_id', '=', back).execute()
    t.match(
      await call('setTestVariant', {
        params: { id: page },
        body: { redirectTestUrl: '/pages/about' },
      }),
      { redirectUrl: '/pages/about' },
    )
    const { resumed, refused } = await call('resumeOnHold', { body: {} })
    t.same(new Set(resumed), new Set([page, price]))
    t.match(refused, [{ id: split, message: /arms do not get/ }])
    await alone()
  },
)

t.test(
  'a page that is led away and a product that is gone hold their tests, which resume once they are back',
  async t => {
    const redirect = await seedTest(db, store, {
      kind: 'UrlRedirect',
      control_url: '/pages/gift-guide',
      redirect_url: '/pages/about',
      start_at: now.at,
    })
    const {
      items: [, first, second],
    } = await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 3 })
    const { id: draft } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
    for (const { id } of [first!, second!])
      await call('createTestProduct', {
        body: { testDraftId: draft, productId: id, rule: { kind: 'amount', value: 250 } },
      })
    const price = await launchedFrom(db, store, draft, { start_at: now.at })
    const { id: away } = await platform.createUrlRedirect(firstShop, {
      path: '/pages/about',
      target: '/pages/gift-guide',
    })
    await shop.app.inject({ method: 'POST', url: `/admin/products/${first!.id}/delete` })
    await shop.delivered()
    await checkNow()
    t.match(await test(redirect), {
      status: 'OnHold',
      holdCause: {
        cause: 'pageGone',
        message: 'The shop has no page at /pages/about.',
        remedy: /Restore the page/,
      },
    })
    t.match(await test(price), {
      status: 'OnHold',
      holdCause: { cause: 'productGone', message: first!.title, remedy: /remove it from the test/ },
    })
    t.same((await call('resumeOnHold', { body: {} })).resumed, [], 'not before the cause is gone')
    await platform.deleteUrlRedirect(firstShop, away)
    t.match(await call('clearProductErrors', { params: { id: price } }), { removed: 1 })
    t.same(new Set((await call('resumeOnHold', { body: {} })).resumed), new Set([redirect, price]))
    await alone()
  },
)

t.test('what was suspended, or put on hold, after an instant is told once', async t => {
  const [first, second] = [
    await seedTest(db, store, { start_at: now.at }),
    await seedTest(db, store, { start_at: now.at }),
  ]
  const none = await call('newOnHold', { query: {} })
  t.same(none.tests, [])
  await holdTests(context, store, 'visitorLimit', [first])
  const one = await call('newOnHold', { query: { timestamp: none.timestamp } })
  t.match(one.tests, [
    {
      id: first,
      status: 'OnHold',
      since: now.at.toISOString(),
      holdCause: { cause: 'visitorLimit' },
    },
  ])
  t.same((await call('newOnHold', { query: { timestamp: one.timestamp } })).tests, [])
  now.at = new Date(now.at.getTime() + 1000)
  await holdTests(context, store, 'visitorLimit')
  t.same(
    (await call('newOnHold', { query: { timestamp: one.timestamp } })).tests.map(each => each.id),
    [second],
  )
  t.same(
    (await call('newOnHold', { query: {} })).tests.map(each => each.id),
    [first, second],
  )
  await t.rejects(call('newOnHold', { query: { timestamp: 'yesterday' } }), like({ status: 400 }))

  const [running, paused, scheduled] = [
    await seedTest(db, store, { start_at: now.at }),
    await seedTest(db, store, { status: 'Paused' }),
    await seedTest(db, store, { status: 'Scheduled' }),
  ]
  await put(await seedTest(db, store, { start_at: now.at }), 'Ended')
  await db.kysely
    .insertInto('test_history')
    .values({ store_id: store, test_id: paused, status: 'Paused', applied_on: now.at })
    .execute()
  await suspendTests(context, store)
  t.same(
    (await call('newSuspended', { query: {} })).tests.map(each => each.id).sort(),
    [first, second, running, paused].sort(),
  )
  t.match(await test(first), { status: 'Suspended', holdCause: { cause: 'visitorLimit' } })
  await t.rejects(
    put(running, 'Active'),
    like({ status: 409, problem: { message: 'A test that is suspended cannot become running.' } }),
  )
  await resumeSuspended(context, store)
  t.same(
    await Promise.all([first, second, running, paused, scheduled].map(statusOf)),
    ['OnHold', 'OnHold', 'Active', 'Paused', 'Scheduled'],
    'each is what it was',
  )
  t.match(await test(first), { holdCause: { cause: 'visitorLimit' } })
  t.same((await call('newSuspended', { query: {} })).tests, [])
  await alone()
})

t.test('all tests, or the price tests alone, are ended at once, and once', async t => {
  const price = await seedTest(db, store, { kind: 'Price' })
  const others = [
    await seedTest(db, store),
    await seedTest(db, store, { status: 'Paused' }),
    await seedTest(db, store, { status: 'Scheduled', start_at: null }),
  ]
  t.same(await call('endAllTests', { body: { priceTestsOnly: true } }), { ended: [price] })
  const both = await Promise.all(
    [1, 2].map(() => call('endAllTests', { body: { priceTestsOnly: false } })),
  )
  t.same(both.flatMap(each => each.ended).sort(), others.sort())
  for (const id of others) t.equal((await test(id)).statusHistory.at(-1)!.status, 'Ended')
  t.same(await call('endAllTests', { body: { priceTestsOnly: false } }), { ended: [] })
})

t.test('a launch without a plan that is paid for is refused', async t => {
  const draft = await readyDraft('Too late')
  await db.kysely
    .updateTable('stores')
    .set({ subscription_status: 'Cancelled' })
    .where('store_id', '=', store)
    .execute()
  const refusal = (await call('launchDraft', { params: { id: draft } }).catch(
    (error: Refused) => error,
  )) as Refused
  t.match(refusal, { status: 409, problem: { message: /Choose a plan/ } })
  await db.kysely
    .updateTable('stores')
    .set({ subscription_status: 'Active' })
    .where('store_id', '=', store)
    .execute()
  await t.resolves(call('launchDraft', { params: { id: draft } }))
})
