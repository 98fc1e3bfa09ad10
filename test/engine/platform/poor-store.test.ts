import t from 'tap'
import { type Capabilities, poorest, richest } from '../../../domain/platform/capabilities.ts'
import { kindLack, lackOf, lackWords } from '../../../domain/platform/kind-needs.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { launchedFrom } from '../support/launched.ts'
import { shopperOf } from '../../demo-shop/support/demo-shop.ts'
import { refusal } from '../support/engine.ts'
import { startLaunchShop } from '../support/shops/launch-shop.ts'
import { turnScriptOn } from '../support/shops/script-on.ts'
import { firstShop } from '../support/small-shop.ts'

const { call, db, shop, platform, engine, store, draft, line, launch, endAll, now } =
  await startLaunchShop(t)
const merchant = shopperOf(shop)
let names = 0
/**
 * The shop can do this from now on, has our script in every theme, and has told the engine of a
 * change.
 */
async function can(capabilities: Capabilities): Promise<void> {
  shop.capabilities.set(capabilities)
  turnScriptOn(shop)
  await shop.app.inject({
    method: 'POST',
    url: '/admin/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `name=Fern+${++names}&email=fern%40fern.example`,
  })
  await shop.delivered()
}
t.beforeEach(() => can(richest))
const messageOf = async (work: Promise<unknown>) => {
  const { status, problem } = await refusal(work)
  return `${status} ${problem.message}`
}
const drafts = async () =>
  (await db.kysely.selectFrom('drafts').select('draft_id').execute()).length
const tests = async () => (await db.kysely.selectFrom('tests').select('test_id').execute()).length
const journalled = async () =>
  (await db.kysely.selectFrom('journal').select('seq').execute()).length
/** The merchant publishes a theme, or saves or deletes one of its files, in the back office. */
async function publish(themeId: string): Promise<void> {
  t.equal((await merchant.form(`/admin/themes/${themeId}/publish`, {})).statusCode, 303)
}
async function save(themeId: string, fields: Record<string, string>): Promise<void> {
  t.equal((await merchant.form(`/admin/themes/${themeId}/file`, fields)).statusCode, 303)
}
const apply = (id: string, arm: 'control' | 'variant' = 'variant') =>
  call('applyTest', { params: { id }, body: { arm } })
const lack = async (id: string, arm: 'control' | 'variant' = 'variant') =>
  (await call('applyLack', { params: { id }, query: { arm } })).lack
/** A refused application changes nothing: the test keeps its status, and the shop is as it was. */
async function staysRunning(t: Tap, id: string, why: string, status = 'Active') {
  const before = await journalled()
  t.match(await messageOf(apply(id)), `409 ${why}`)
  t.match(await call('test', { params: { id } }), { status, appliedArm: null })
  t.equal(await journalled(), before)
}
type Tap = Pick<typeof t, 'match' | 'equal'>

t.test('a store’s capabilities, and every kind: created, or refused with its reason', async t => {
  t.same(await call('storeCapabilities', {}), richest)
  for (const kind of testKindNames) await draft({ kind })
  await can(poorest)
  t.same(await call('storeCapabilities', {}), poorest)
  for (const kind of testKindNames) {
    const why = kindLack(kind, poorest),
      before = await drafts()
    if (why) t.match(await messageOf(draft({ kind })), `409 ${lackWords(why)}`)
    else await draft({ kind })
    t.equal(await drafts(), before + (why ? 0 : 1), kind)
  }
})

t.test(
  'prices: a draft from before is shown with the reason, and refused at its launch',
  async t => {
    const id = await draft({ kind: 'Price' })
    const { items } = await call('searchProducts', {
      params: { id: store },
      query: { query: '', pageSize: 1 },
    })
    await call('createTestProduct', {
      body: { testDraftId: id, productId: items[0]!.id, rule: { kind: 'percent', value: -10 } },
    })
    t.equal(await line(id, 'shop'), undefined, 'nothing to say of a shop that can do all')
    await can(poorest)
    const why = kindLack('Price', poorest)!
    t.match(await line(id, 'shop'), { tone: 'bad', message: why.reason, remedy: why.remedy })
    t.not((await line(id, 'products'))?.tone, 'bad', 'no product repeats it')
    const before = await tests()
    t.match(await messageOf(launch(id)), `409 ${why.reason}`)
    t.match(await messageOf(call('duplicateDraft', { params: { id } })), `409 ${why.reason}`)
    t.equal(await tests(), before)
  },
)

t.test('prices: a shop that only lowers them refuses a higher one at its field', async t => {
  await can({ ...richest, priceWay: 'discount' })
  const id = await draft({ kind: 'Price' })
  const { items } = await call('searchProducts', {
    params: { id: store },
    query: { query: '', pageSize: 2 },
  })
  const [first, second] = items.map(item => item.id)
  const add = (productId: string, value: number) =>
    call('createTestProduct', {
      body: { testDraftId: id, productId, rule: { kind: 'percent', value } },
    })
  const fields = async (work: Promise<unknown>) =>
    (await refusal(work)).problem.fields!.map(({ field, message }) => `${field}: ${message}`)
  t.match(await fields(add(first!, 10)), [/^rule: Your shop can only lower prices: .* at most \$/])
  const { id: row, variants } = await add(first!, -10)
  const dearer = variants.map(variant => ({ variantId: variant.id, price: variant.price + 1 }))
  const own = variants.map(variant => ({ variantId: variant.id, price: variant.price }))
  t.match(
    await fields(call('setProductPrices', { params: { id: row }, body: { prices: dearer } })),
    [/^prices\.0\.price: Your shop can only lower/],
  )
  t.match(
    await fields(
      call('updateDraft', {
        params: { id },
        body: { products: [{ id: row, prices: dearer.slice(0, 1) }] },
      }),
    ),
    [/^products\.0\.prices\.0\.price: Your shop can only lower/],
  )
  t.match(
    await fields(
      call('upsertProducts', {
        query: { testDraftId: id },
        body: {
          products: [
            { productId: first!, rule: { kind: 'percent', value: -5 } },
            { productId: second!, rule: { kind: 'amount', value: 100 } },
          ],
        },
      }),
    ),
    [/^products\.1\.rule: Your shop can only lower/],
  )
  await call('setProductPrices', { params: { id: row }, body: { prices: own } })
  // Prices from before, when the shop could raise them.
  await can(richest)
  await call('setProductPrices', { params: { id: row }, body: { prices: dearer } })
  await can({ ...richest, priceWay: 'discount' })
  t.match((await call('validateTestProducts', { params: { id } })).problems, [
    { cause: 'cannotCharge', message: /can only lower/ },
  ])
  t.match(await line(id, 'products'), { tone: 'bad', message: /can only lower/ })
  t.match(await fields(launch(id)), [/^products\.0: Your shop can only lower/])
})

t.test('prices: a running test is held when its shop charges them no more', async t => {
  const id = await draft({ kind: 'Price' })
  const { items } = await call('searchProducts', {
    params: { id: store },
    query: { query: '', pageSize: 1 },
  })
  await call('createTestProduct', {
    body: { testDraftId: id, productId: items[0]!.id, rule: { kind: 'percent', value: -10 } },
  })
  const { testId } = await launch(id)
  await engine.runJobs()
  const at = { params: { id: testId } }
  t.equal((await call('test', at)).status, 'Active')
  await can(poorest)
  await engine.runJobs()
  t.match(await call('test', at), {
    status: 'OnHold',
    holdCause: { cause: 'priceRefused', message: /does not let apps change prices/ },
  })
  t.match((await call('resumeOnHold', { body: {} })).refused, [{ id: testId }])
  await can(richest)
  t.same((await call('resumeOnHold', { body: {} })).resumed, [testId])
  await endAll()
})

t.test('URL redirect: it runs, and our script applies it', async t => {
  await can(poorest)
  const id = await draft({
    kind: 'UrlRedirect',
    controlUrl: '/pages/gift-guide',
    redirectUrl: '/pages/about',
  })
  t.match(await line(id, 'shop'), {
    tone: 'warn',
    message: /does not let us redirect.* our script/,
  })
  const { testId } = await launch(id)
  t.equal(await lack(testId), null)
  t.match(await apply(testId), { status: 'Ended', appliedArm: 'variant', sendsByScript: true })
  t.same(await platform.urlRedirects(firstShop), [])
  t.match(await apply(testId, 'control'), { appliedArm: 'control' })
})

t.test('theme: it runs; the merchant publishes the winner, then it can be applied', async t => {
  const { themeId: live } = await call('storeInfo', {})
  const other = (await platform.themes(firstShop)).find(({ role }) => role !== 'live')!
  await can(poorest)
  const id = await draft({ kind: 'Theme' })
  await call('setControl', { params: { id }, body: { themeId: live! } })
  await call('setVariant', { params: { id }, body: { themeId: other.id } })
  t.match(await line(id, 'shop'), { tone: 'warn', message: /does not let us publish a theme/ })
  const testId = await launchedFrom(db, store, id, { start_at: now.at, status: 'Active' })
  await staysRunning(t, testId, lackWords(lackOf('publishThemes', poorest, other.name)!))
  t.match((await lack(testId))!.remedy, `Publish the theme ${other.name} `)
  await publish(other.id)
  t.equal(await lack(testId), null)
  t.match(await apply(testId), { status: 'Ended', appliedArm: 'variant' })
  t.match(
    await messageOf(apply(testId, 'control')),
    `409 ${lackOf('publishThemes', poorest)!.reason}`,
  )
  await publish(live!)
})

t.test('template and page content: no copy of ours is made in the shop', async t => {
  const oursOnly = { ...poorest, copies: 'ours' as const }
  for (const [able, kinds, said] of [
    // Nobody could make the copy of a page content test, so that kind is closed there.
    [oursOnly, ['Template'], `409 ${lackWords(lackOf('ownCopies', oursOnly)!)}`],
    [poorest, ['Template', 'PageContent'], '400 There is no copy of cart yet.'],
  ] as const) {
    await can(able)
    for (const kind of kinds) {
      const id = await draft({ kind })
      await call('setControl', { params: { id }, body: { type: 'cart', suffix: '' } })
      const before = await journalled()
      t.match(await messageOf(call('setVariant', { params: { id }, body: {} })), said)
      t.equal(await journalled(), before)
    }
    t.match(
      await messageOf(call('duplicateTemplate', { body: { type: 'cart', suffix: '' } })),
      `409 ${lackOf('ownCopies', able)!.reason}`,
    )
  }
})

t.test(
  'template: one that the theme has already is tested, and applied by the merchant',
  async t => {
    const theme = (await call('storeInfo', {})).themeId!
    const files = await platform.themeFiles(firstShop, theme, ['templates/cart.json'])
    const { name: own, body: old } = files[0]!
    const name = 'templates/cart.by-hand.json',
      better = old.replace('{ "sections"', '{  "sections"')
    for (const able of [poorest, { ...richest, copies: 'merchant' as const }]) {
      await can(able)
      await save(theme, { name, body: better })
      const id = await draft({ kind: 'Template' })
      await call('setControl', { params: { id }, body: { type: 'cart', suffix: '' } })
      await call('setVariant', { params: { id }, body: { suffix: 'by-hand' } })
      t.match(await line(id, 'shop'), { tone: 'warn', message: /only one template of its own/ })
      t.match(
        await messageOf(
          call('setTemplateContent', { params: { id }, body: { version: 'x', sections: [] } }),
        ),
        /^400/,
      )
      const testId = await launchedFrom(db, store, id, { start_at: now.at, status: 'Active' })
      const why = lackOf('replaceTemplate', able, 'cart.by-hand', 'cart')!
      t.match(why.remedy, 'put the content of the template cart.by-hand into cart,')
      t.same(await lack(testId), why)
      await staysRunning(t, testId, lackWords(why))
      await save(theme, { name: own, body: better })
      t.equal(await lack(testId), null, 'the merchant has replaced it')
      t.match(await apply(testId), { status: 'Ended', appliedArm: 'variant' })
      await save(theme, { name: own, body: old })
      await save(theme, { name, delete: '1' })
    }
  },
)

t.test('template: our copy from before is neither changed nor made again', async t => {
  const id = await draft({ kind: 'Template' })
  await call('setControl', { params: { id }, body: { type: 'product', suffix: '' } })
  const { variant } = await call('setVariant', { params: { id }, body: {} })
  const content = await call('templateContent', { params: { id } })
  await can({ ...poorest, copies: 'ours' })
  const [section] = content.sections
  const before = await journalled()
  t.match(
    await messageOf(
      call('setTemplateContent', {
        params: { id },
        body: { version: content.version, sections: [{ id: section!.id, isShown: false }] },
      }),
    ),
    `409 ${lackOf('themeFiles', poorest)!.reason}`,
  )
  const copy = await call('duplicateDraft', { params: { id } })
  t.match(copy, { kind: 'Template', variant: null, control: { templateType: 'product' } })
  const testId = await launchedFrom(db, store, id, { start_at: now.at, status: 'Active' })
  t.equal(await lack(testId), null, 'the pages are assigned to the copy, which is there')
  const theme = (await call('storeInfo', {})).themeId!
  await save(theme, { name: `templates/product.${variant!.suffix}.json`, delete: '1' })
  t.equal(await journalled(), before)
  const why = lackOf('restoreTemplate', poorest, `product.${variant!.suffix}`)!
  t.same(await lack(testId), why)
  // The shop tells of the deletion, and the check after it holds the test.
  await shop.delivered()
  await engine.runJobs()
  await staysRunning(t, testId, lackWords(why), 'OnHold')
  await endAll()
})

t.test('page elements and API: nothing changes for them', async t => {
  await can(poorest)
  const { testId } = await launch(await draft({ kind: 'PageElement' }))
  t.equal(await line(await draft({ kind: 'PageElement' }), 'shop'), undefined)
  t.match(await apply(testId), { status: 'Ended', appliedArm: 'variant' })
  const api = await draft({ kind: 'Api' })
  t.equal(await line(api, 'shop'), undefined)
  await launch(api)
  await endAll()
})
