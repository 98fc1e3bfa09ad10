import t from 'tap'
import { type Capabilities, poorest, richest } from '../../../domain/platform/capabilities.ts'
import { kindLack, lackOf, lackWords } from '../../../domain/platform/kind-needs.ts'
import { priceField, ruleField } from '../../../domain/products/product-form.ts'
import { testKindNames } from '../../../domain/tests/test-kind.ts'
import { launchedFrom } from '../../engine/support/launched.ts'
import { textOf } from '../support/merchant.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { get, post, call, put, shop, db, storeId, now, close } = await startShopMerchant()
t.teardown(close)
await put({
  feature_flags: JSON.stringify(['PriceTesting', 'UrlRedirectTests', 'DomTesting']) as never,
  plan_id: 'core-100k-monthly',
  onboarded: true,
  has_subscribed: true,
  subscription_status: 'Active',
  subscription_id: 'sub-1',
})
let names = 0
async function can(capabilities: Capabilities): Promise<void> {
  shop.capabilities.set(capabilities)
  await shop.app.inject({
    method: 'POST',
    url: '/admin/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `name=Fern+${++names}&email=fern%40fern.example`,
  })
  await shop.delivered()
}
t.beforeEach(() => can(richest))
const edit = (id: string, step: string) => `/tests/draft/edit/${id}?step=${step}`
const offered = (html: string) =>
  [...html.matchAll(/name="kind" value="(\w+)"/g)].map(match => match[1]).sort()
const price = kindLack('Price', poorest)!

t.test('the choice shows an impossible kind with its reason, and refuses it there', async t => {
  const rich = await get('/tests/draft/edit')
  t.notMatch(textOf(rich.body), 'Not in your shop')
  t.ok(offered(rich.body).includes('Price'))
  await can(poorest)
  const { body } = await get('/tests/draft/edit')
  t.same(
    offered(body),
    offered(rich.body).filter(kind => kind !== 'Price'),
  )
  const shown = /<section[^>]*aria-label="Price, not possible in your shop".*?<\/section>/s.exec(
    body,
  )
  t.match(textOf(shown![0]), lackWords(price))
  t.notMatch(shown![0], /<a |<button/, 'no plan opens it')
  const refused = await post('/tests/draft/edit', { kind: 'Price' })
  t.equal(refused.statusCode, 409)
  t.match(textOf(refused.body), `No draft was created. ${lackWords(price)}`)
  t.match(textOf(refused.body), 'Create a test', 'the choice is there again')
  t.equal((await call('tests', { query: { status: 'Draft' } })).count, 0)
  for (const kind of testKindNames.filter(name => offered(body).includes(name)))
    t.equal((await post('/tests/draft/edit', { kind })).statusCode, 303, kind)
})

t.test('the editor says what the shop cannot do, on the draft and in its steps', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Cheaper' } })
  t.notMatch(textOf((await get(edit(id, 'goal'))).body), 'Your shop cannot run this test')
  await can(poorest)
  t.match(
    textOf((await get(edit(id, 'goal'))).body),
    `Your shop cannot run this test. ${lackWords(price)}`,
  )
  t.match(textOf((await get(edit(id, 'review'))).body), `Your shop , to fix ${price.reason}`)
  const template = await call('createDraft', { body: { kind: 'Template' } })
  await call('setControl', {
    params: { id: template.id },
    body: { type: 'product', suffix: '' },
  })
  const guide = await get(edit(template.id, 'template'))
  t.match(textOf(guide.body), 'I have made the copy', 'the merchant makes it there')
  const oursOnly = { ...poorest, copies: 'ours' as const },
    copies = lackOf('ownCopies', oursOnly)!
  t.notMatch(textOf(guide.body), copies.reason)
  await can(oursOnly)
  const step = await get(edit(template.id, 'template'))
  t.match(textOf(step.body), lackWords(copies))
  t.notMatch(step.body, 'value="template.copy:"')
  const pressed = await post(edit(template.id, 'template'), { act: 'template.copy:' })
  t.equal(pressed.statusCode, 422)
  t.match(textOf(pressed.body), copies.reason)
})

t.test('prices: a higher one is refused at its field where the shop only lowers them', async t => {
  await can({ ...richest, priceWay: 'discount' })
  const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
  const { items } = await call('searchProducts', {
    params: { id: storeId },
    query: { query: '', pageSize: 1 },
  })
  const product = await call('createTestProduct', {
    body: { testDraftId: id, productId: items[0]!.id },
  })
  const [variant] = product.variants
  t.match(textOf((await get(edit(id, 'products'))).body), 'Your shop can only lower prices')
  const field = priceField(product.id, variant!.id)
  const typed = await post(edit(id, 'products'), {
    act: 'save',
    [field]: ((variant!.price + 100) / 100).toFixed(2),
  })
  t.equal(typed.statusCode, 422)
  t.match(typed.body, `id="${field.replaceAll('.', '-')}-problem"`)
  t.match(textOf(typed.body), `at most $${(variant!.price / 100).toFixed(2)}`)
  const rule = await post(edit(id, 'products'), {
    act: 'products.preview:all',
    [ruleField('all', 'way')]: 'percentMore',
    [ruleField('all', 'value')]: '10',
  })
  t.equal(rule.statusCode, 422)
  t.match(rule.body, 'id="rule-all-value-problem"')
  const lower = await post(edit(id, 'products'), {
    act: 'products.preview:all',
    [ruleField('all', 'way')]: 'percentLess',
    [ruleField('all', 'value')]: '10',
  })
  t.equal(lower.statusCode, 303)
  t.match((await get(lower.headers.location!)).body, 'value="products.apply:all')
})

t.test(
  'the dialog that applies a winner says who does it, or why it cannot, and what to do',
  async t => {
    const { id } = await call('createDraft', {
      body: {
        kind: 'UrlRedirect',
        title: 'Guide',
        controlUrl: '/pages/gift-guide',
        redirectUrl: '/pages/about',
      },
    })
    const test = await launchedFrom(db, storeId, id, { start_at: now.at, status: 'Active' })
    const dialog = async () => textOf((await get(`/tests/${test}?ask=apply-variant`)).body)
    t.match(await dialog(), 'The shop itself sends everyone from /pages/gift-guide')
    await can({ ...richest, redirects: 'missingPages' })
    const lack = lackOf('redirectsOverPages', poorest)!
    t.match(
      await dialog(),
      `Our script sends everyone from /pages/gift-guide to /pages/about, and counts nobody for it. Search engines and visitors without scripts still get the control’s page. ${lack.reason} ${lack.remedy}`,
    )
    const theme = await call('createDraft', { body: { kind: 'Theme', title: 'Theme' } })
    await call('setControl', { params: { id: theme.id }, body: { themeId: '160001' } })
    await call('setVariant', { params: { id: theme.id }, body: { themeId: '160002' } })
    const ofTheme = await launchedFrom(db, storeId, theme.id, {
      start_at: now.at,
      status: 'Active',
    })
    await can({ ...richest, themeWrites: false })
    const refused = lackOf('publishThemes', { ...richest, themeWrites: false })!
    t.match(
      textOf((await get(`/tests/${ofTheme}?ask=apply-variant`)).body),
      `The variant cannot be applied ${refused.reason} Publish the theme `,
    )
    const applied = await post(`/tests/${ofTheme}/apply`, { arm: 'variant' })
    t.equal(applied.statusCode, 409)
    t.match(textOf(applied.body), refused.reason)
    t.equal((await call('test', { params: { id: ofTheme } })).status, 'Active')
  },
)

t.test('a report that began before the orders we can read says so', async t => {
  const { id } = await call('createDraft', { body: { kind: 'UrlRedirect', title: 'Long ago' } })
  const test = await launchedFrom(db, storeId, id, {
    start_at: new Date(now.at.getTime() - 70 * 86_400_000),
    status: 'Ended',
    ended_at: now.at,
  })
  const report = async () => textOf((await get(`/tests/${test}`)).body)
  const words = 'Your shop lets us read the orders of the last 60 days.'
  t.notMatch(await report(), words)
  await can(poorest)
  t.match(await report(), words)
})
