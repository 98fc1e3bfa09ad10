import t from 'tap'
import { themeTarget } from '../../../domain/tests/test-target.ts'
import { launchedFrom } from '../support/launched.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { withAllChanges } from '../support/with-shop.ts'
import { startLifecycleShop } from '../support/shops/lifecycle-shop.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedSummary } from '../support/summaries.ts'

const { engine, call, db, now, shop, platform, merchant, store, themeId, test, put, alone } =
  await startLifecycleShop(t, withAllChanges)
const otherTheme = (await platform.themes(firstShop)).find(theme => theme.id !== themeId)!.id
const target = (id: string) => JSON.stringify({ ...themeTarget(id), hash: null })

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
  'a deleted template puts its test on hold at once; after it is made again, the test can resume',
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
      'the control’s template too',
    )
    t.same(await call('activeTest', { query: { type: 'cart' } }), { test: null })
    await merchant.deleteThemeFiles(firstShop, themeId, [file])
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
      'no template of ours is left',
    )
  },
)

t.test(
  'publishing or deleting a theme puts a theme test on hold, and the store has the new theme',
  async t => {
    const id = await seedTest(db, store, {
      kind: 'Theme',
      control_target: target(themeId),
      variant_target: target(otherTheme),
      live_theme_id: themeId,
      start_at: now.at,
    })
    await merchant.publishTheme(firstShop, otherTheme)
    await shop.delivered()
    await engine.runJobs()
    t.match(await test(id), {
      status: 'OnHold',
      holdCause: { cause: 'themePublishedOver', message: /is live now/ },
    })
    t.equal((await call('storeInfo', {})).themeId, otherTheme)
    await merchant.publishTheme(firstShop, themeId)
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
  'a theme test whose control is not the live theme is put on hold, and resumes once it is',
  async t => {
    // Its variant was the live theme when it was launched, so no visitor enters it.
    const id = await seedTest(db, store, {
      kind: 'Theme',
      control_target: target(otherTheme),
      variant_target: target(themeId),
      live_theme_id: themeId,
      start_at: now.at,
    })
    await checkNow()
    const { name } = (await platform.themes(firstShop)).find(theme => theme.id === themeId)!
    const message = `The control of this test is not your live theme, so no visitor enters it. ${name} is live now.`,
      remedy = 'Publish the control’s theme, then resume the test. Or end it.'
    t.match(await test(id), {
      status: 'OnHold',
      holdCause: { cause: 'themePublishedOver', message, remedy },
    })
    t.match(await call('resumeOnHold', { body: {} }), {
      resumed: [],
      refused: [{ id, message: `${message} ${remedy}` }],
    })
    await t.rejects(
      call('setTestVariant', { params: { id }, body: {} }),
      like({
        status: 400,
        problem: { fields: [{ field: 'themeId', message: /your live theme/ }] },
      }),
    )
    await merchant.publishTheme(firstShop, otherTheme)
    t.match(await call('resumeOnHold', { body: {} }), { resumed: [id] })
    await alone()
    await merchant.publishTheme(firstShop, themeId)
    await shop.delivered()
    await engine.runJobs()
  },
)

t.test(
  'a theme that lacks templates of the shop puts its test on hold, and cannot be a variant until it has them',
  async t => {
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
    await merchant.writeThemeFiles(firstShop, otherTheme, [{ name: file, body }])
    await t.resolves(call('setTestVariant', { params: { id }, body: { themeId: otherTheme } }))
    t.match(await call('resumeOnHold', { body: {} }), { resumed: [id] })
    await put(id, 'Paused')
    await merchant.deleteThemeFiles(firstShop, otherTheme, [file])
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

t.test(
  'a missing page, a changed price and a broken split put their tests on hold, each with its cause',
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
    t.match(await test(page), { redirectUrl: '/pages/nowhere' }, 'a refused page is not stored')
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
  'a redirected page and a deleted product put their tests on hold, which can resume after a fix',
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
    t.same((await call('resumeOnHold', { body: {} })).resumed, [], 'not before the cause is fixed')
    await platform.deleteUrlRedirect(firstShop, away)
    t.match(await call('clearProductErrors', { params: { id: price } }), { removed: 1 })
    t.same(new Set((await call('resumeOnHold', { body: {} })).resumed), new Set([redirect, price]))
    await alone()
  },
)

t.test('a test that cannot be checked does not keep the others from being checked', async t => {
  await alone()
  // The shop refuses to look for a template with such a long name.
  const suffix = 'x'.repeat(100_000),
    long = JSON.stringify({ ...themeTarget(themeId), templateType: 'page', suffix, hash: null })
  const unchecked = await seedTest(db, store, {
    kind: 'Template',
    control_target: long,
    variant_target: long,
    start_at: new Date(now.at.getTime() - 1),
  })
  const gone = await seedTest(db, store, {
    kind: 'Theme',
    control_target: target(themeId),
    variant_target: target('999'),
    live_theme_id: themeId,
    start_at: now.at,
  })
  await checkNow()
  t.match(await test(gone), { status: 'OnHold', holdCause: { cause: 'themeGone' } })
  t.match(await test(unchecked), { status: 'Active' })
  const again = () =>
    db.kysely
      .selectFrom('jobs')
      .select('job_id')
      .where('key', '=', 'testCheck')
      .where('status', '=', 'queued')
      .execute()
  t.equal((await again()).length, 1, 'the store is checked again')
})
