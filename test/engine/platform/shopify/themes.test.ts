import t from 'tap'
import { HttpProblem } from '../../../../domain/problem.ts'
import { assignedTypes } from '../../../../domain/themes/template.ts'
import { PartialWrite } from '../../../../engine/platform/partial-write.ts'
import { settingsIn } from '../../../../engine/platform/shopify/script/shopify-script.ts'
import { textOfFile } from '../../../../engine/platform/shopify/themes/theme-file-body.ts'
import {
  shopifyShop as shop,
  refusalOf,
  shopifyStage,
  statusOf,
} from '../../support/shops/shopify-stage.ts'

const { platform, adapter, demo, face } = await shopifyStage(t, { settings: { themeWrites: true } })
const [kiln, harbour] = ['160001', '160002']
const names = async (themeId: string, asked: string[]) =>
  (await platform.themeFiles(shop, themeId, asked)).map(({ name }) => name)

t.test('themes and their files are read by name and by folder', async t => {
  t.match(await platform.themes(shop), [
    { id: kiln, name: 'Kiln', role: 'live' },
    { id: harbour, name: 'Harbour', role: 'unpublished' },
  ])
  t.same(await names(kiln, ['templates/product.json', 'templates/none.json', 'layout/']), [
    'layout/theme.liquid',
    'templates/product.json',
  ])
  t.same(await platform.themeFiles(shop, kiln, []), [])
  const many = Array.from({ length: 120 }, (_, i) => `sections/none-${i}.liquid`)
  t.same(await names(kiln, ['templates/product.json', ...many]), ['templates/product.json'])
})

t.test('text comes as text, in base64 or as an address; pictures are left out', async t => {
  const read = (url: string) => Promise.resolve(Buffer.from(`from ${url}`))
  const text = (contentType: string, body: Parameters<typeof textOfFile>[0]['body']) =>
    textOfFile({ contentType, body }, read)
  const base64 = (contentBase64: string) =>
    ({ __typename: 'OnlineStoreThemeFileBodyBase64', contentBase64 }) as const
  const url = { __typename: 'OnlineStoreThemeFileBodyUrl', url: 'x' } as const
  t.equal(await text('a', { __typename: 'OnlineStoreThemeFileBodyText', content: 'c' }), 'c')
  t.equal(await text('application/json', base64('e30=')), '{}')
  t.equal(await text('image/png', base64('e30=')), null)
  t.equal(await text('text/css', url), 'from x')
  t.equal(await text('font/woff2', url), null)
})

t.test('files are written with Shopify’s exemption, and refused without it', async t => {
  const file = { name: 'snippets/ours.liquid', body: 'ours' }
  await platform.writeThemeFiles(shop, harbour, [file])
  t.match(await platform.themeFiles(shop, harbour, [file.name]), [file])
  await platform.deleteThemeFiles(shop, harbour, [file.name, 'snippets/none.liquid'])
  t.same(await platform.themeFiles(shop, harbour, [file.name]), [])

  face.settings.set({ themeWrites: false })
  const refusal = { status: 422, message: /does not let Twinshelf write into the themes/ }
  await t.rejects(platform.writeThemeFiles(shop, harbour, [file]), refusal)
  await t.rejects(platform.deleteThemeFiles(shop, harbour, ['layout/theme.liquid']), refusal)
  await t.rejects(platform.publishTheme(shop, harbour), refusal)
  face.settings.set({ themeWrites: true })
  t.same(await platform.themeFiles(shop, harbour, [file.name]), [], 'nothing was written')
})

t.test('a write that is done in part says which part', async t => {
  const files = [
    { name: 'snippets/good.liquid', body: 'good' },
    { name: 'snippets/bad.liquid', body: '{% if %}' },
  ]
  const error: unknown = await platform
    .writeThemeFiles(shop, harbour, files)
    .catch((error: unknown) => error)
  t.ok(error instanceof PartialWrite)
  t.match(error, { done: ['snippets/good.liquid'], failed: [{ item: 'snippets/bad.liquid' }] })
  await t.rejects(platform.writeThemeFiles(shop, harbour, [files[1]!]), {
    status: 422,
    message: /snippets\/bad\.liquid: /,
  })
  await platform.deleteThemeFiles(shop, harbour, ['snippets/good.liquid'])
})

t.test('a theme that was deleted is a 404 for reading, writing and publishing', async t => {
  for (const call of [
    () => platform.themeFiles(shop, '99', ['layout/']),
    () => platform.writeThemeFiles(shop, '99', [{ name: 'snippets/a.liquid', body: '' }]),
    () => platform.deleteThemeFiles(shop, '99', ['snippets/a.liquid']),
    () => platform.publishTheme(shop, '99'),
    () => platform.scriptState(shop, '99'),
    () => platform.themeFiles(shop, '../1', ['layout/']),
  ])
    t.equal(await statusOf(call()), 404)
})

t.test('a published theme is the live one', async t => {
  await platform.publishTheme(shop, harbour)
  t.equal((await platform.shop(shop)).themeId, harbour)
  await platform.publishTheme(shop, kiln)
  t.equal((await platform.shop(shop)).themeId, kiln)
})

t.test('links lead to the theme in the admin', async t => {
  const real = adapter({ standIn: undefined as never })
  const admin = 'https://admin.shopify.com/store/fern-and-kiln'
  t.equal(await real.themePage(shop, {}), `${admin}/themes`)
  t.equal(await real.themePage(shop, { themeId: '5' }), `${admin}/themes/5/editor`)
  t.equal(
    await real.themePage(shop, { themeId: '5', file: 'templates/a.json' }),
    `${admin}/themes/5?key=templates%2Fa.json`,
  )
  t.equal(real.appUrl(shop), `${admin}/apps/twinshelf`)
  t.equal(real.orderAddress(shop, { id: '9', name: '#1' }), `${admin}/orders/9`)
  t.same(real.frameAncestors(shop), [`https://${shop}`, 'https://admin.shopify.com'])
  t.same(platform.frameAncestors(shop), [new URL(platform.adminUrl(shop, 'home')).origin])
})

t.test('the settings of a theme are read past Shopify’s comment', async t => {
  const text = '/*\n * auto-generated\n */\n{"current":{"blocks":{"1":{"type":"a"}}}}'
  t.same(settingsIn(text), { blocks: { 1: { type: 'a' } } })
  t.same(settingsIn('{"current":"Default"}'), {}, 'a preset that nobody has changed')
  t.same(settingsIn('{'), {})
})

t.test('what is assigned to which template is known, also what has just changed', async t => {
  for (const type of assignedTypes) {
    const page = await platform.resourcePage(shop, type, { pageSize: 2 })
    t.equal(page.items.length, Math.min(2, page.total), type)
    const all = await platform.resourcePage(shop, type, {})
    t.equal(all.items.length, all.total)
    const uses = await platform.templateUses(shop, type)
    t.equal(
      uses.reduce((sum, { count }) => sum + count, 0),
      all.total,
    )
  }
  const { items } = await platform.resourcePage(shop, 'product', { pageSize: 3 })
  const [first, second, third] = items
  t.match(first, { type: 'product', path: /^\/products\//, suffix: /^[a-z]*$/ })
  const next = await platform.resourcePage(shop, 'product', {
    pageSize: 2,
    cursor: items[0]!.id,
  })
  t.same(
    next.items.map(({ id }) => id),
    [second!.id, third!.id],
  )
  t.same((await platform.resourcePage(shop, 'product', { paths: [first!.path] })).items, [first])
  t.same((await platform.resourcePage(shop, 'product', { ids: [third!.id, '999999'] })).items, [
    third,
  ])
  t.same(
    (await platform.resourcePage(shop, 'product', { query: first!.title.toUpperCase() })).items,
    [first],
  )

  const before = items.map(({ id, suffix }) => ({ type: 'product' as const, id, suffix }))
  await platform.assignTemplates(
    shop,
    before.map(one => ({ ...one, suffix: 'ts-one' })),
  )
  t.equal((await platform.resourcePage(shop, 'product', { suffix: 'ts-one' })).total, 3)
  t.match(await platform.resourcePage(shop, 'product', { ids: [first!.id] }), {
    items: [{ suffix: 'ts-one' }],
  })
  await platform.assignTemplates(shop, before)
  t.equal((await platform.resourcePage(shop, 'product', { suffix: 'ts-one' })).total, 0)
})

t.test('assignments of which a part fails say which part', async t => {
  const { items } = await platform.resourcePage(shop, 'product', { pageSize: 1 })
  const good = { type: 'product' as const, id: items[0]!.id, suffix: items[0]!.suffix }
  const gone = { type: 'product' as const, id: '999999', suffix: '' }
  const error: unknown = await platform
    .assignTemplates(shop, [good, gone])
    .catch((error: unknown) => error)
  t.match(error, { done: [good.id], failed: [{ item: gone.id }] })
  t.ok(error instanceof PartialWrite)
  const all: unknown = await platform.assignTemplates(shop, [gone]).catch((error: unknown) => error)
  t.ok(all instanceof HttpProblem && !(all instanceof PartialWrite))
})

t.test('a theme that Shopify is still preparing says so, and is not offered', async t => {
  face.settings.set({ processingThemes: [harbour] })
  t.teardown(() => face.settings.set({ processingThemes: [] }))
  const file = { name: 'snippets/ours.liquid', body: '' }
  for (const call of [
    () => platform.themeFiles(shop, harbour, ['layout/']),
    () => platform.writeThemeFiles(shop, harbour, [file]),
    () => platform.deleteThemeFiles(shop, harbour, [file.name]),
    () => platform.publishTheme(shop, harbour),
  ]) {
    const error = await refusalOf(call())
    t.equal(error?.status, 503)
    t.match(error?.message, /still preparing the theme Harbour\. Repeat this/)
  }
  t.same(
    (await platform.themes(shop)).map(({ id }) => id),
    [kiln],
  )
})

t.test('the shop’s own experiments are read where that is switched on', async t => {
  const { scopes } = face.settings.current()
  t.equal((await adapter({ readsRollouts: true }).capabilities(shop)).nativeExperiments, false)
  face.settings.set({ rollouts: true, scopes: [...scopes, 'read_rollouts'] })
  demo.capabilities.set({ nativeExperiments: true })
  const running = demo.experiments.start('Spring', harbour)
  t.same(await platform.nativeExperiments(shop), [], 'off')
  t.equal((await adapter({ readsRollouts: true }).capabilities(shop)).nativeExperiments, true)
  t.match(await adapter({ readsRollouts: true }).nativeExperiments(shop), [
    { name: 'Spring', themeIds: [harbour], address: /\/admin\/store\/fern-and-kiln\/rollouts$/ },
  ])
  demo.experiments.end(running.id)
  t.same(await adapter({ readsRollouts: true }).nativeExperiments(shop), [])
})
