import t, { type Test } from 'tap'
import { assignedTypes, type TemplateType } from '../../../domain/themes/template.ts'
import { launchedFrom } from '../support/launched.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { engine, call, db, now, shop, platform, merchant, close } = await startWithShop(
  {},
  {},
  withAllChanges,
)
t.teardown(close)
const { id: store, themeId: live } = await call('storeInfo', {})
const themeId = live!
const apply = (id: string, arm: 'control' | 'variant' = 'variant') =>
  call('applyTest', { params: { id }, body: { arm } })
const put = (id: string, status: 'Paused' | 'Active' | 'Ended') =>
  call('updateTest', { params: { id }, body: { status } })
const files = async () =>
  (await platform.themeFiles(firstShop, themeId, ['templates/']))
    .map(({ name, body }) => `${name} ${body}`)
    .sort()
const assigned = async () =>
  (await Promise.all(assignedTypes.map(type => platform.resources(firstShop, type))))
    .flat()
    .map(({ type, id, suffix }) => `${type} ${id} ${suffix}`)
const prices = async (ids: string[]) =>
  (await platform.productsById(firstShop, ids)).flatMap(({ variants }) =>
    variants.map(({ id, price }) => `${id} ${price}`),
  )
const untouched = { files: await files(), assigned: await assigned() }
const isUntouched = async (t: Test) =>
  t.same({ files: await files(), assigned: await assigned() }, untouched, 'the same to the byte')
const theme = (id: string) =>
  JSON.stringify({
    templateType: null,
    suffix: null,
    themeId: id,
    url: null,
    isOurs: false,
    hash: null,
  })

async function templateTest(
  type: TemplateType,
  kind: 'Template' | 'PageContent' = 'Template',
  granular?: string[],
) {
  const { id } = await call('createDraft', { body: { kind, title: `A template of ${type}` } })
  await call('setControl', { params: { id }, body: { type, suffix: '' } })
  const { variant } = await call('setVariant', {
    params: { id },
    body: granular ? { granular } : {},
  })
  return { test: await launchedFrom(db, store, id), suffix: variant!.suffix! }
}

t.test(
  'cart and search: the file gets the variant’s content, the original stays under a dated suffix, and control restores it',
  async t => {
    for (const type of ['cart', 'search'] as const) {
      const { test, suffix } = await templateTest(type)
      const name = `templates/${type}.json`
      const original = (await platform.themeFiles(firstShop, themeId, [name]))[0]!.body
      const better = original.replace('{ "sections"', '{  "sections"')
      await merchant.writeThemeFiles(firstShop, themeId, [
        { name: `templates/${type}.${suffix}.json`, body: better },
      ])
      t.not(better, original)
      await apply(test)
      t.equal((await platform.themeFiles(firstShop, themeId, [name]))[0]!.body, better)
      t.equal(
        (
          await platform.themeFiles(firstShop, themeId, [
            `templates/${type}.before-${now.at.toISOString().slice(0, 10)}.json`,
          ])
        )[0]!.body,
        original,
      )
      await apply(test, 'control')
      // The merchant has edited this file, so it stays. Delete it here.
      await merchant.deleteThemeFiles(firstShop, themeId, [`templates/${type}.${suffix}.json`])
      await isUntouched(t)
    }
  },
)

t.test(
  'collections and one page’s content are assigned, whatever the status of the test',
  async t => {
    const { test, suffix } = await templateTest('collection')
    await put(test, 'Paused')
    t.match(
      await apply(test),
      { status: 'Ended', appliedArm: 'variant' },
      'a paused test ends and is applied',
    )
    t.equal(
      (await platform.resources(firstShop, 'collection')).filter(each => each.suffix === '').length,
      0,
    )
    t.ok((await platform.resources(firstShop, 'collection')).every(each => each.suffix === suffix))
    await apply(test, 'control')
    await isUntouched(t)

    const [page] = (await platform.resources(firstShop, 'page')).filter(each => each.suffix === '')
    const content = await templateTest('page', 'PageContent', [page!.id])
    await apply(content.test)
    t.same(
      (await platform.resources(firstShop, 'page'))
        .filter(each => each.suffix === content.suffix)
        .map(each => each.id),
      [page!.id],
    )
    await apply(content.test, 'control')
    await isUntouched(t)
  },
)

t.test(
  'when a test is on hold because our template is gone, applying the winner restores the template',
  async t => {
    const { test, suffix } = await templateTest('page')
    const file = `templates/page.${suffix}.json`
    await merchant.deleteThemeFiles(firstShop, themeId, [file])
    await shop.delivered()
    await engine.runJobs()
    t.match(await call('test', { params: { id: test } }), {
      status: 'OnHold',
      holdCause: { cause: 'templateGone' },
    })
    t.match(await apply(test), { status: 'Ended', appliedArm: 'variant' })
    t.ok((await platform.themeFiles(firstShop, themeId, [file]))[0])
    await apply(test, 'control')
    await isUntouched(t)
  },
)

t.test(
  'applying a theme or page that is gone is refused with a message, and nothing is changed',
  async t => {
    const gone = await seedTest(db, store, {
      kind: 'Theme',
      control_target: theme(themeId),
      variant_target: theme('999'),
      live_theme_id: themeId,
    })
    await t.rejects(
      apply(gone),
      like({ status: 409, problem: { message: /theme of this arm is no longer in the shop/ } }),
    )
    const page = await seedTest(db, store, {
      kind: 'UrlRedirect',
      control_url: '/pages/gift-guide',
      redirect_url: '/pages/nowhere',
      pages: '["/pages/gift-guide"]',
    })
    await t.rejects(
      apply(page),
      like({ status: 409, problem: { message: /variant’s page is no longer in the shop/ } }),
    )
    t.same(await platform.urlRedirects(firstShop), [])
    for (const id of [gone, page])
      t.match(
        await call('test', { params: { id } }),
        { endedAt: null, appliedArm: null, appliedAt: null },
        'it has not ended, but the regular check may have put it on hold',
      )
    await isUntouched(t)
  },
)

t.test(
  'if no page uses the control template any more, applying is refused; if only one of two does not, the event names it',
  async t => {
    const [page, other] = (await platform.resources(firstShop, 'page')).filter(
      each => each.suffix === '',
    )
    const assign = (suffix: string) =>
      platform.assignTemplates(firstShop, [{ type: 'page', id: page!.id, suffix }])
    const one = await templateTest('page', 'PageContent', [page!.id])
    const two = await templateTest('page', 'Template', [page!.id, other!.id])
    await assign('guide')
    await t.rejects(
      apply(one.test),
      like({
        status: 409,
        problem: { message: /^No page of this test uses the template page any more/ },
      }),
    )
    t.match(await call('test', { params: { id: one.test } }), { appliedArm: null, endedAt: null })
    await put(one.test, 'Ended')
    await engine.runJobs()
    await t.rejects(apply(one.test), like({ status: 409 }), 'also after the test has ended')
    t.notOk(
      (await platform.themeFiles(firstShop, themeId, [`templates/page.${one.suffix}.json`]))[0],
      'its template is not restored',
    )
    t.equal(
      (await apply(two.test)).events.at(-1)!.detail,
      `Variant applied, but not to what is no longer there: ${page!.title}`,
    )
    await apply(two.test, 'control')
    await assign('')
    await isUntouched(t)
  },
)

t.test(
  'when one of several products is gone, the others get their prices and the event names it',
  async t => {
    const { items } = await platform.searchProducts(firstShop, {
      query: '',
      direction: 'forward',
      pageSize: 3,
    })
    const ids = items.map(({ id }) => id),
      before = await prices(ids.slice(1))
    const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
    for (const productId of ids)
      await call('createTestProduct', {
        body: { testDraftId: id, productId, rule: { kind: 'amount', value: 100 } },
      })
    const test = await launchedFrom(db, store, id)
    await shop.app.inject({ method: 'POST', url: `/admin/products/${ids[0]}/delete` })
    await shop.delivered()
    const applied = await apply(test)
    t.match(
      applied.events.at(-1)!.detail,
      `Variant applied, but not to what is no longer there: ${items[0]!.title}`,
    )
    t.same(
      await prices(ids.slice(1)),
      before.map(each => `${each.split(' ')[0]} ${Number(each.split(' ')[1]) + 100}`),
    )
    const flags = (feature_flags: string) =>
      db.kysely.updateTable('stores').set({ feature_flags }).where('store_id', '=', store).execute()
    const { feature_flags: had } = await db.kysely
      .selectFrom('stores')
      .select('feature_flags')
      .where('store_id', '=', store)
      .executeTakeFirstOrThrow()
    await flags('[]')
    await t.rejects(
      call('createDraft', { body: { kind: 'Price', title: 'Closed' } }),
      like({ status: 403 }),
    )
    await apply(test, 'control')
    t.same(await prices(ids.slice(1)), before, 'also while price testing is switched off')
    await flags(JSON.stringify(had))
    for (const each of ids.slice(1))
      await shop.app.inject({ method: 'POST', url: `/admin/products/${each}/delete` })
    await shop.delivered()
    await t.rejects(
      apply(test),
      like({ status: 409, problem: { message: /None of this test’s products/ } }),
    )
  },
)

t.test('a test that never ran, or that does not exist, cannot be applied', async t => {
  const scheduled = await seedTest(db, store, {
    status: 'Scheduled',
    start_at: null,
    kind: 'UrlRedirect',
  })
  await t.rejects(
    apply(scheduled, 'control'),
    like({ status: 409, problem: { message: /never run/ } }),
  )
  await t.rejects(apply(crypto.randomUUID()), like({ status: 404 }))
})
