import t from 'tap'
import { shopTime } from '../../../domain/stores/shop-time.ts'
import type { TestKind } from '../../../domain/tests/test-kind.ts'
import { textOf } from '../support/merchant.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { get, post, call, put, storeId, now, close } = await startShopMerchant()
t.teardown(close)
await put({
  feature_flags: JSON.stringify(['PriceTesting']) as never,
  plan_id: 'core-100k-monthly',
  onboarded: true,
  has_subscribed: true,
  subscription_status: 'Active',
  subscription_id: 'sub-1',
})

const newDraft = async (kind: TestKind) =>
  (await post('/tests/draft/edit', { kind })).headers.location!.split('/').at(-1)!
const edit = (id: string, step: string) => `/tests/draft/edit/${id}?step=${step}`
const draftOf = (id: string) => call('draft', { params: { id } })
/** The state for undo and redo on a step's page. */
const keptOn = async (id: string, step: string): Promise<string> =>
  /id="draft-kept"[^>]*>([^<]*)</.exec((await get(edit(id, step))).body)?.[1] ?? ''
/** Sends an undo as the browser does, from another step. */
async function restore(id: string, step: string, kept: string) {
  const { version } = await draftOf(id)
  return post(edit(id, 'goal'), {
    version: String(version),
    act: `${step}.restore:`,
    restore: kept,
  })
}

t.test('the choice of a theme is undone and redone', async t => {
  const id = await newDraft('Theme'),
    none = await keptOn(id, 'theme')
  const other = (await call('themes', {})).find(({ role }) => role !== 'live')!
  await post(edit(id, 'theme'), { act: `theme.choose:${other.id}` })
  const chosen = await keptOn(id, 'theme')
  t.same(JSON.parse(chosen), { themeId: other.id, control: (await draftOf(id)).control!.themeId })
  t.equal(
    (await restore(id, 'theme', none)).headers.location,
    edit(id, 'theme'),
    'the step of the undone choice is shown',
  )
  t.equal((await draftOf(id)).variant, null)
  await restore(id, 'theme', chosen)
  t.equal((await draftOf(id)).variant?.themeId, other.id)
})

t.test('undo restores a template and its copy, but never replaces a changed copy', async t => {
  const id = await newDraft('Template')
  const none = await keptOn(id, 'template')
  await post(edit(id, 'template'), { act: 'template.control:product:' })
  const bare = await keptOn(id, 'template')
  await restore(id, 'template', none)
  t.match(await draftOf(id), { control: null, variant: null }, 'the first choice is undone')
  await restore(id, 'template', bare)
  t.equal((await draftOf(id)).control?.templateType, 'product')
  await post(edit(id, 'template'), { act: 'template.copy:' })
  const copied = await keptOn(id, 'template')
  await restore(id, 'template', bare)
  t.equal((await draftOf(id)).variant, null)
  await restore(id, 'template', copied)
  t.equal((await draftOf(id)).variant?.isOurs, true)
  t.equal(await keptOn(id, 'template'), copied)

  const other = await newDraft('Template')
  await post(edit(other, 'template'), { act: 'template.control:product:' })
  await post(edit(other, 'template'), { act: 'template.existing:', suffix: 'story' })
  const existing = await keptOn(other, 'template')
  await post(edit(other, 'template'), { act: 'template.remove:' })
  await restore(other, 'template', existing)
  t.match((await draftOf(other)).variant, { suffix: 'story', isOurs: false }, 'no copy is made')

  const order = await keptOn(id, 'content'),
    [first] = JSON.parse(order) as { id: string }[]
  await post(edit(id, 'content'), { act: `content.down:${first!.id}` })
  await post(edit(id, 'content'), { act: `content.hide:${first!.id}` })
  const moved = await keptOn(id, 'content')
  t.not(moved, order)
  const refused = await restore(id, 'template', bare)
  t.equal(refused.statusCode, 422)
  t.match(
    textOf(refused.body),
    /There is already a variant with changed content\. Remove it first\./,
  )
  await restore(id, 'content', order)
  t.equal(await keptOn(id, 'content'), order)
  await restore(id, 'content', moved)
  t.equal(await keptOn(id, 'content'), moved)
})

t.test('undo restores products with their prices and rules', async t => {
  const id = await newDraft('Price')
  const { items } = await call('searchProducts', {
    params: { id: storeId },
    query: { query: '', pageSize: 2 },
  })
  await call('upsertProducts', {
    query: { testDraftId: id },
    body: {
      products: [
        { productId: items[0]!.id, rule: { kind: 'percent', value: -10 } },
        { productId: items[1]!.id },
      ],
    },
  })
  const products = async () => (await call('testProducts', { params: { id }, query: {} })).products
  const [ruled, plain] = await products(),
    before = await keptOn(id, 'products')
  await call('setProductPrices', {
    params: { id: plain!.id },
    body: { prices: [{ variantId: plain!.variants[0]!.id, price: 1234 }] },
  })
  await post(edit(id, 'products'), { act: `products.remove:${ruled!.id}` })
  const after = await keptOn(id, 'products')
  await restore(id, 'products', before)
  const prices = (list: Awaited<ReturnType<typeof products>>) =>
    list
      .map(({ productId, rule, variants }) => [
        productId,
        rule,
        variants.map(({ variantPrice }) => variantPrice),
      ])
      .toSorted()
  t.same(prices(await products()), prices([ruled!, plain!]))
  await restore(id, 'products', after)
  t.match(await products(), [
    { productId: plain!.productId, variants: { 0: { variantPrice: 1234 } } },
  ])
})

t.test('an invalid state for undo is refused, and the message says what to do', async t => {
  const id = await newDraft('Theme')
  for (const text of ['', '{', '{"themeId":1}', '[]']) {
    const answer = await restore(id, 'theme', text)
    t.equal(answer.statusCode, 422)
    t.match(textOf(answer.body), /This change can no longer be undone\. Make it again by hand\./)
  }
  t.equal((await restore(id, 'theme', '{"themeId":"gone"}')).statusCode, 422)
})

t.test('a start that has passed meanwhile does not prevent a save without scripts', async t => {
  const id = await newDraft('Theme'),
    launchAt = new Date(now.at.getTime() + 60_000).toISOString()
  await call('scheduleDraft', { params: { id }, body: { launchAt } })
  now.at = new Date(now.at.getTime() + 120_000)
  const typed = {
    title: 'Later',
    launchAt: shopTime(launchAt, (await call('storeInfo', {})).timeZone),
  }
  t.equal((await post(edit(id, 'split'), { act: 'save', ...typed })).statusCode, 303)
  t.match(await draftOf(id), { title: 'Later', launchAt })
})
