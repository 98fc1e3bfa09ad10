import t from 'tap'
import { refusal } from '../support/engine.ts'
import { launchedFrom } from '../support/launched.ts'
import { shopperOf } from '../../demo-shop/support/demo-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const { shop, shopOrigin, platform, db, now, call, close } = await startWithShop()
t.teardown(close)
shop.capabilities.set({ copies: 'merchant' })
const { id: store, shop: shopName } = await call('storeInfo', {})
const merchant = shopperOf(shop)
const live = (await platform.themes(shopName)).find(({ role }) => role === 'live')!
const body = async (name: string) =>
  (await platform.themeFiles(shopName, live.id, [`templates/${name}.json`]))[0]!.body
/** The merchant saves a template in the shop's back office. */
async function saved(as: string, text: string): Promise<void> {
  const { statusCode, body } = await merchant.form(`/admin/themes/${live.id}/file`, {
    name: `templates/${as}.json`,
    body: text,
  })
  if (statusCode !== 303) throw new Error(body)
}
const draftOf = async (kind: 'Template' | 'Theme' | 'PageContent') => {
  const { id } = await call('createDraft', { body: { kind, title: `A ${kind}` } })
  return { id, at: { params: { id } } }
}

t.test('the merchant is told what to copy; the copy is found by its name and used', async t => {
  const { at } = await draftOf('Template')
  t.same(await call('variantCopy', at), { copy: null }, 'no control yet')
  await call('setControl', { ...at, body: { type: 'product', suffix: '' } })
  const { copy } = await call('variantCopy', at)
  t.match(copy, {
    kind: 'template',
    original: 'product',
    name: /^product\.ts-[0-9a-f]{6}$/,
    address: `${shopOrigin}/admin/themes/${live.id}/file?name=templates%2Fproduct.json`,
  })
  t.equal((await merchant.get(copy!.address.slice(shopOrigin.length))).statusCode, 200)
  const missing = await refusal(call('setVariant', { ...at, body: {} }))
  t.match(missing, {
    status: 400,
    problem: { fields: [{ field: 'suffix', message: new RegExp(`no copy.*${copy!.name}`) }] },
  })

  await saved(copy!.name, await body('page'))
  t.match(await refusal(call('setVariant', { ...at, body: {} })), {
    problem: { fields: [{ field: 'suffix', message: /no section of product/ }] },
  })
  await saved(copy!.name, await body('product'))
  const { variant } = await call('setVariant', { ...at, body: {} })
  t.match(variant, { suffix: copy!.name.slice('product.'.length), isOurs: true })
  t.match(await call('draftTemplateStatus', at), {
    variant: { exists: true, changeState: 'Unmodified' },
  })
  await saved(copy!.name, (await body('product')).replace('"order"', '"name":"x","order"'))
  t.match(await call('draftTemplateStatus', at), { variant: { changeState: 'Modified' } })

  await call('removeVariant', at)
  t.ok(await body(copy!.name), 'the merchant’s file stays')
  const again = await call('setVariant', { ...at, body: {} })
  t.equal(again.variant!.suffix, variant!.suffix)
  t.match(await call('draftTemplateStatus', at), { variant: { changeState: 'Modified' } })
  const twin = await call('duplicateDraft', at)
  t.match(twin, { control: { templateType: 'product' }, variant: null }, 'needs another copy')
})

t.test('a copy with another name is found if it is new and fits', async t => {
  await saved('page.before', await body('page'))
  now.at = new Date(now.at.getTime() + 60_000)
  const { at } = await draftOf('Template')
  await call('setControl', { ...at, body: { type: 'page', suffix: '' } })
  t.match(await refusal(call('setVariant', { ...at, body: {} })), { status: 400 }, 'it is older')
  await saved('page.mine', await body('page'))
  t.match((await call('setVariant', { ...at, body: {} })).variant, { suffix: 'mine', isOurs: true })
  const other = await draftOf('Template')
  await call('setControl', { ...other.at, body: { type: 'page', suffix: '' } })
  t.match(
    await refusal(call('setVariant', { ...other.at, body: {} })),
    { status: 400 },
    'not the copy of another draft',
  )
})

t.test('a theme is copied by the merchant, too, and checked', async t => {
  const { at } = await draftOf('Theme')
  await call('setControl', { ...at, body: { themeId: live.id } })
  const { copy } = await call('variantCopy', at)
  t.match(copy, { kind: 'theme', original: live.name, address: `${shopOrigin}/admin/themes` })
  t.match(await refusal(call('setVariant', { ...at, body: {} })), {
    problem: { fields: [{ field: 'themeId', message: /no copy of Kiln/ }] },
  })
  const duplicate = (name: string) => merchant.form(`/admin/themes/${live.id}/duplicate`, { name })
  t.equal((await duplicate(live.name)).statusCode, 422, 'another theme has this name')
  t.equal((await duplicate(copy!.name)).statusCode, 303)
  const made = (await platform.themes(shopName)).find(({ name }) => name === copy!.name)!
  await merchant.form(`/admin/themes/${made.id}/file`, {
    name: 'templates/page.mine.json',
    delete: '1',
  })
  t.match(await refusal(call('setVariant', { ...at, body: {} })), {
    problem: { fields: [{ field: 'themeId', message: /lacks files.*page\.mine/ }] },
  })
  await merchant.form(`/admin/themes/${made.id}/file`, {
    name: 'templates/page.mine.json',
    body: await body('page'),
  })
  t.match((await call('setVariant', { ...at, body: {} })).variant, { themeId: made.id })
  t.match((await shop.app.inject(`/?preview_theme_id=${made.id}`)).statusCode, 200)
})

t.test('where only the merchant writes, applying says what to do, and then counts', async t => {
  shop.capabilities.set({ themeWrites: false })
  const { id, at } = await draftOf('Theme')
  await call('setControl', { ...at, body: { themeId: live.id } })
  await call('setVariant', { ...at, body: { themeId: '160002' } })
  const test = { params: { id: await launchedFrom(db, store, id, { start_at: now.at }) } }
  t.match(await refusal(call('applyVariant', test)), {
    status: 409,
    problem: { message: /Publish the theme Harbour in your shop’s admin, then apply it here/ },
  })
  t.equal((await call('test', test)).status, 'Active', 'it keeps running')
  await merchant.form('/admin/themes/160002/publish', {})
  await call('applyVariant', test)
  t.match(await call('test', test), { status: 'Ended', appliedArm: 'variant' })
  await merchant.form(`/admin/themes/${live.id}/publish`, {})

  const home = await draftOf('Template')
  await call('setControl', { ...home.at, body: { type: 'home', suffix: '' } })
  const { copy } = await call('variantCopy', home.at)
  const changed = (await body('index')).replace('"order"', '"name":"x","order"')
  await saved(copy!.name, changed)
  await call('setVariant', { ...home.at, body: {} })
  const running = {
    params: { id: await launchedFrom(db, store, home.id, { start_at: now.at }) },
  }
  t.match(await refusal(call('applyVariant', running)), {
    status: 409,
    problem: { message: /put the content of the template index\.ts-\w+ into index,/ },
  })
  await saved('index', changed)
  await call('applyVariant', running)
  t.match(await call('test', running), { status: 'Ended', appliedArm: 'variant' })
})

t.test('where we make copies, there is nothing to tell', async t => {
  shop.capabilities.set({ themeWrites: true, copies: 'ours' })
  const { at } = await draftOf('Template')
  await call('setControl', { ...at, body: { type: 'product', suffix: '' } })
  t.same(await call('variantCopy', at), { copy: null })
  t.match((await call('setVariant', { ...at, body: {} })).variant, { isOurs: true })
  const theme = await draftOf('Theme')
  t.match(await refusal(call('setVariant', { params: theme.at.params, body: {} })), { status: 400 })
})
