import t from 'tap'
import { priceField, ruleField } from '../../../domain/products/product-form.ts'
import { cursorText, variantsText } from '../../../domain/products/product-pick.ts'
import { productsLaunched } from '../../../engine/prices/test-products.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { textOf } from '../support/merchant.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { get, post, call, put, press, platform, db, storeId, close } = await startShopMerchant()
t.teardown(close)
const closedWords =
  'Price testing feature is not enabled for this store. Please contact support to enable this feature.'
const open = (features: string[]) =>
  put({
    feature_flags: JSON.stringify(features) as never,
    plan_id: 'core-100k-monthly',
    onboarded: true,
    has_subscribed: true,
    subscription_status: 'Active',
    subscription_id: 'sub-1',
  })
await open(['PriceTesting'])
const { items } = await call('searchProducts', {
  params: { id: storeId },
  query: { query: '', pageSize: 40 },
})
const catalogue = items.filter(({ status }) => status === 'active')
const rich = catalogue.find(({ variantCount }) => variantCount > 1)!

const edit = (id: string, more = '') => `/tests/draft/edit/${id}?step=products${more}`
const newDraft = async () =>
  (await post('/tests/draft/edit', { kind: 'Price' })).headers.location!.split('/').at(-1)!
async function act(id: string, value: string, fields: Record<string, string> = {}) {
  const answer = await post(edit(id), { act: value, ...fields })
  return answer.statusCode === 303 ? get(answer.headers.location!) : answer
}
const listed = async (id: string) =>
  (await call('testProducts', { params: { id }, query: { limit: 100 } })).products
const version = async (id: string) => (await call('draft', { params: { id } })).version
/** Creates a draft with these products of the shop. */
async function draftWith(...productIds: string[]) {
  const id = await newDraft()
  await call('upsertProducts', {
    query: { testDraftId: id },
    body: { products: productIds.map(productId => ({ productId })) },
  })
  return { id, products: await listed(id) }
}
const decimal = (minor: number) => (minor / 100).toFixed(2)
const fieldsWithProblems = (body: string) =>
  [...body.matchAll(/id="([^"]+)-problem"/g)].map(match => match[1])

t.test('products are searched, ticked on several pages and added', async t => {
  const id = await newDraft()
  t.match(textOf((await get(edit(id))).body), /No products in this test yet/)
  t.match(textOf((await get(`/tests/draft/edit/${id}?step=review`)).body), /Products None chosen/)
  const first = await act(id, 'products.open:')
  t.match(first.body, /<dialog id="add-products" open/)
  t.match(
    textOf(first.body),
    new RegExp(`${items.length < 40 ? items.length : '\\d+'} products found`),
  )
  const after = /name="at" value="(forward:[^"]+)"/.exec(first.body)![1]!.replaceAll('&amp;', '&')
  const picked = [catalogue[0]!.id, catalogue[1]!.id]
  const asked = (over: [string, string][]) =>
    new URLSearchParams([['step', 'products'], ['add', ''], ...over]).toString()
  const second = await get(
    `/tests/draft/edit/${id}?${asked([...picked.map((each): [string, string] => ['picked', each]), ['at', after]])}`,
  )
  t.match(textOf(second.body), /2 more are ticked on other pages/)
  t.match(textOf(second.body), /Add 2 products/)
  t.match(second.body, /name="at" value="backward:/)
  const third = items[10]!
  t.match(second.body, `value="${third.id}"`)
  const search = await get(
    `/tests/draft/edit/${id}?${asked([
      ['search', rich.title],
      ['at', after],
      ['fresh', '1'],
      ['picked', picked[0]!],
    ])}`,
  )
  t.match(search.body, `name="picked" value="${rich.id}"`, 'a new search starts at the first page')
  const variants = textOf(
    (
      await get(
        `/tests/draft/edit/${id}?${asked([
          ['search', rich.title],
          ['variants', variantsText(rich.id)],
        ])}`,
      )
    ).body,
  )
  for (const { title } of rich.variants) t.match(variants, title)
  const added = await post(
    edit(id),
    { act: 'products.add:', search: '', picked: picked[0]! },
    {
      payload: new URLSearchParams([
        ['act', 'products.add:'],
        ['picked', picked[0]!],
        ['picked', third.id],
      ]).toString(),
    },
  )
  t.equal(added.statusCode, 303)
  t.match(textOf((await get(added.headers.location!)).body), /2 products are added to the test/)
  t.same(
    (await listed(id)).map(({ productId }) => productId),
    [picked[0], third.id],
  )
  t.match(textOf((await act(id, 'products.open:')).body), /in this test/)
  t.match(
    textOf((await get(`/tests/draft/edit/${id}?${asked([['search', 'zzzz']])}`)).body),
    /No product of the shop is called “zzzz”/,
  )
})

t.test('parts are redrawn while the merchant types, and wrong requests are refused', async t => {
  const id = await newDraft()
  const part = (query: Record<string, string>) =>
    get(`/tests/draft/edit/${id}/products?${new URLSearchParams(query)}`)
  t.equal(
    (await part({ search: 'mug' })).statusCode,
    303,
    'a request without htmx leads to the dialog',
  )
  const { body } = await get(
    edit(
      id,
      `&add=&at=${encodeURIComponent(cursorText({ direction: 'forward', cursor: 'nonsense' }))}&variants=nowhere`,
    ),
  )
  t.match(body, 'products-found', 'an invalid cursor shows the first page')
  const carried = (await get(edit(id, '&add=&host=aG9z&code=SAVE20'))).body
  t.match(
    /<form[^>]* id="add-products-form"[^>]*>(.*?)<h2/s.exec(carried)?.[1],
    '<input type="hidden" name="host" value="aG9z"/><input type="hidden" name="code" value="SAVE20"/>',
    'a search keeps the host and the code',
  )
  const hostile = (
    await get(edit(id, `&add=&search=${encodeURIComponent('<script>alert(1)</script>')}`))
  ).body
  t.notMatch(hostile, '<script>alert')
  for (const [fields, words] of [
    [{}, /Tick at least one product/],
    [{ picked: 'not-there' }, /no longer in the shop\. Nothing was added/],
  ] as const) {
    const refused = await act(id, 'products.add:', fields)
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), words)
    t.match(refused.body, /<dialog id="add-products" open/, 'the dialog is still open')
  }
  const many = await post(
    edit(id),
    {},
    {
      payload: new URLSearchParams([
        ['act', 'products.add:'],
        ...Array.from({ length: 101 }, (_, i): [string, string] => ['picked', `p${i}`]),
      ]).toString(),
    },
  )
  t.match(
    [many.statusCode, textOf(many.body)],
    [422, /at most 100 products at once; 101 are ticked/],
  )
  t.same(await listed(id), [])
  t.equal((await get('/tests/draft/edit/nonsense?step=products')).statusCode, 404)
})

t.test(
  'every save stores typed prices; a wrong price is named at its field, and then none is stored',
  async t => {
    const {
      id,
      products: [product],
    } = await draftWith(rich.id)
    const [a, b] = product!.variants as [
      (typeof product & object)['variants'][number],
      (typeof product & object)['variants'][number],
    ]
    const fieldA = priceField(product!.id, a.id),
      fieldB = priceField(product!.id, b.id)
    const shown = await get(edit(id))
    t.match(
      shown.body,
      `name="${fieldA}" inputmode="decimal" autocomplete="off" value="${decimal(a.controlPrice)}"`,
    )
    await act(id, 'save', { [fieldA]: '29.99', [fieldB]: decimal(b.controlPrice) })
    const stored = async () =>
      (await listed(id))[0]!.variants.map(({ variantPrice }) => variantPrice)
    t.same((await stored()).slice(0, 2), [2999, b.controlPrice])

    const autosaved = await post(edit(id), {
      act: 'autosave',
      version: String(await version(id)),
      [fieldB]: '31,50',
    })
    t.same(
      autosaved.json(),
      { done: 'saved', version: await version(id), at: autosaved.json<{ at: string }>().at },
      'the response has the version for the next save',
    )
    t.same((await stored()).slice(0, 2), [2999, 3150])
    const stale = await post(edit(id), { act: 'autosave', version: '1', [fieldB]: '32' })
    t.match(
      stale.json(),
      { done: 'conflict' },
      'another tab’s price is reported and not overwritten',
    )
    t.match(
      (await post(edit(id), { act: 'autosave', version: '1', [fieldB]: '31.50' })).json(),
      { done: 'saved' },
      'the same price is no conflict',
    )

    const before = await stored()
    for (const [text, words] of [
      ['0', /A price is above 0/],
      ['-4', /A price is above 0/],
      ['much', /“much” is not a price/],
      ['', /Write a price/],
      ['29.999', /at most 2 decimals/],
      ['100000000', /The highest price is/],
    ] as const) {
      const refused = await act(id, 'save', { [fieldA]: '20', [fieldB]: text })
      t.equal(refused.statusCode, 422, text)
      t.same(fieldsWithProblems(refused.body), [fieldB.replaceAll('.', '-')], text)
      t.match(textOf(refused.body), words)
      if (text) t.match(refused.body, `value="${text}"`, 'the form keeps the text')
      t.match(
        (
          await post(edit(id), {
            act: 'autosave',
            version: String(await version(id)),
            [fieldB]: text,
          })
        ).json(),
        { done: 'refused', problems: [{ field: fieldB, message: words }] },
      )
      t.same(await stored(), before)
    }
  },
)

t.test('a rule has a preview before it is applied to all or to one', async t => {
  const { id, products } = await draftWith(rich.id, catalogue.find(each => each.id !== rich.id)!.id)
  const rule = (of: string, way: string, value: string, charm = false) => ({
    [ruleField(of, 'way')]: way,
    [ruleField(of, 'value')]: value,
    ...(charm && { [ruleField(of, 'charm')]: 'on' }),
  })
  const prices = async () =>
    (await listed(id)).map(({ variants }) => variants.map(({ variantPrice }) => variantPrice))
  const before = await prices()
  const ofNone = await get(edit(await newDraft(), '&rule=all&way=set&value=5'))
  t.equal(ofNone.statusCode, 200, 'a rule for products that are not there has no preview')
  const preview = await act(id, 'products.preview:all', rule('all', 'percentLess', '10', true))
  t.match(textOf(preview.body), /New prices .*\$[\d.]+ → \$\d+\.99 .*Apply to all 2 products/)
  t.same(await prices(), before, 'a preview stores nothing')
  const apply = /name="act" value="(products\.apply:all[^"]*)"/.exec(preview.body)![1]!
  const applied = textOf((await act(id, apply)).body)
  t.match(applied, /The rule is applied to all 2 products/)
  t.match(applied, /10% less, rounded to \.99/)
  t.ok((await prices()).flat().every(price => price % 100 === 99))
  const [one, other] = products as [(typeof products)[number], (typeof products)[number]]
  const own = await act(id, `products.preview:${one.id}`, rule(one.id, 'set', '25'))
  await act(id, /name="act" value="(products\.apply:[^"]*)"/.exec(own.body)![1]!)
  t.ok(
    (await prices())[0]!.every(price => price === 2500) && !(await prices())[1]!.includes(2500),
    'the other product keeps its prices',
  )
  const review = textOf((await get(`/tests/draft/edit/${id}?step=review`)).body)
  t.match(review, /2 products, \d+ variants; all prices change: .* → \$/)

  const stored = await prices()
  for (const [way, value, words] of [
    ['percentLess', '100', /lowered by less than 100%/],
    ['percentMore', 'ten', /Write a number of percent/],
    ['set', '0', /A price is above 0/],
    ['less', '100000', /leaves .* without a price/],
    ['more', '1.999', /An amount in USD has at most 2 decimals/],
  ] as const)
    for (const whose of ['all', other.id]) {
      const refused = await act(id, `products.preview:${whose}`, rule(whose, way, value))
      t.equal(refused.statusCode, 422, `${way} ${value}`)
      t.same(fieldsWithProblems(refused.body), [`rule-${whose}-value`])
      t.match(textOf(refused.body), words)
      t.equal((await act(id, `products.apply:${whose}:${way}::${value}`)).statusCode, 422)
    }
  t.equal((await act(id, 'products.apply:all:sideways::5')).statusCode, 422)
  t.equal((await act(id, 'products.apply:no-such-row:set::5')).statusCode, 422)
  t.same(await prices(), stored)
})

t.test('paging saves typed prices, and a product can be removed from the test', async t => {
  const { id, products } = await draftWith(...catalogue.slice(0, 12).map(each => each.id))
  const last = products[11]!,
    first = products[0]!
  const shown = textOf((await get(edit(id))).body)
  t.match(
    shown,
    new RegExp(
      `12 products, ${products.reduce((sum, { variantCount }) => sum + variantCount, 0)} variants`,
    ),
  )
  t.notMatch(shown, last.title)
  const field = priceField(first.id, first.variants[0]!.id)
  const second = await act(id, 'products.page:2', { productsPage: '1', [field]: '77' })
  t.match(textOf(second.body), last.title)
  t.equal((await listed(id))[0]!.variants[0]!.variantPrice, 7700)
  t.match((await post(edit(id), { act: 'save', productsPage: '2' })).headers.location, /page=2/)
  for (const page of ['99', '-1', 'x'])
    t.equal((await get(edit(id, `&page=${page}`))).statusCode, 200)
  t.match(
    textOf((await act(id, `products.remove:${last.id}`, { productsPage: '2' })).body),
    new RegExp(`${last.title} was removed from the test`),
  )
  t.equal((await listed(id)).length, 11)
  t.equal((await act(id, `products.remove:${last.id}`)).statusCode, 422)
})

t.test(
  'changes in the shop and other tests are reported at the product, cleared and removed',
  async t => {
    const [changed, gone, running] = catalogue.slice(-3) as [typeof rich, typeof rich, typeof rich]
    const { id } = await draftWith(changed.id, gone.id, running.id)
    t.match(
      textOf((await act(id, 'products.check:')).body),
      /Checked with the shop\. Change at least one price/,
    )
    const other = await draftWith(running.id)
    const testId = await seedTest(db, storeId, {
      kind: 'Price',
      draft_id: other.id,
      title: 'Autumn prices',
    })
    await db.kysely.transaction().execute(trx => productsLaunched(trx, storeId, other.id, testId))
    await platform.setPrices(
      firstShop,
      changed.id,
      changed.variants.map(({ id: variantId, price }) => ({ variantId, price: price + 100 })),
    )
    await press(`/admin/products/${gone.id}/delete`)
    const checked = await act(id, 'products.check:')
    t.match(textOf(checked.body), new RegExp(`${gone.title} is no longer in the shop`))
    t.match(textOf(checked.body), /has errors or conflicts\./, 'the step is not done')
    t.match(textOf(checked.body), /costs \$[\d.]+ in the shop now/)
    t.match(
      checked.body,
      new RegExp(`In the running price test <a href="/tests/${testId}[^"]*">Autumn prices</a>`),
    )
    const refused = await act(id, 'products.apply:all:percentMore::10')
    t.match(
      [refused.statusCode, textOf(refused.body)],
      [422, new RegExp(`${gone.title} is no longer in the shop\\. Remove it`)],
    )
    t.match(
      textOf((await act(id, 'products.clear:')).body),
      /1 product has the shop’s present prices now\. 1 product that the shop no longer has was removed/,
    )
    t.match(
      textOf((await act(id, 'products.conflicted:')).body),
      /1 product of other running price tests was removed/,
    )
    t.match(await listed(id), [{ productId: changed.id, errors: [] }])
    t.match(
      textOf((await act(id, 'products.conflicted:')).body),
      /No product is in another running price test/,
    )
  },
)

t.test('every place says so when a store has no price testing', async t => {
  const {
    id,
    products: [product],
  } = await draftWith(catalogue[0]!.id)
  await open([])
  t.match(textOf((await get(edit(id))).body), closedWords)
  t.match(textOf((await get(`/tests/draft/edit/${id}?step=review`)).body), closedWords)
  const refused = await act(id, 'save', {
    [priceField(product!.id, product!.variants[0]!.id)]: '5',
  })
  t.match([refused.statusCode, textOf(refused.body)], [422, new RegExp(closedWords)])
  for (const value of [
    'products.check:',
    'products.clear:',
    'products.conflicted:',
    'products.add:',
    `products.remove:${product!.id}`,
    'products.preview:all',
    'products.open:',
  ])
    t.match(textOf((await act(id, value, { picked: catalogue[1]!.id })).body), closedWords, value)
  await open(['PriceTesting'])
  t.match(await listed(id), [{ variants: [{ variantPrice: product!.variants[0]!.variantPrice }] }])
})

t.test(
  'new prices are confirmed once before they go live: their number, largest changes and start',
  async t => {
    const {
      id,
      products: [one],
    } = await draftWith(catalogue[3]!.id)
    const review = `/tests/draft/edit/${id}?step=review`
    await post(`/tests/draft/edit/${id}?step=goal`, { act: 'save', title: 'Dearer bowls' })
    await call('updateTestProduct', {
      params: { id: one!.id },
      body: { rule: { kind: 'percent', value: 10 } },
    })
    const asked = await post(review, { act: 'launch' })
    t.match(
      [asked.statusCode, asked.headers.location],
      [303, `${review}&ask=1`],
      'although there is no warning',
    )
    // While a browser is still opening the pages, the merchant can confirm without waiting.
    const dialog = textOf(
      /<dialog id="launch-asks"[\s\S]*?<\/dialog>/.exec(
        (await get(`${review}&ask=now`)).body,
      )?.[0] ?? '',
    )
    t.match(
      dialog,
      new RegExp(
        `Launch “Dearer bowls”\\? About 50% of visitors will see and pay new prices for 1 product\\. Prices changed .* Largest increase ${one!.title}.*\\(\\+10\\.\\d%\\) Largest decrease None Starts As soon as you launch`,
      ),
    )
    t.match(dialog, /Not yet .*Launch new prices/)
    t.equal(
      (await call('draft', { params: { id } })).title,
      'Dearer bowls',
      'nothing is launched yet',
    )
    const launchAt = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await call('scheduleDraft', { params: { id }, body: { launchAt } })
    t.match(textOf((await get(`${review}&ask=now`)).body), /Starts \d+ \w+.* Schedule new prices/)
    t.match(
      (await post(`${review}&ask=1`, { act: 'launchSurely' })).headers.location,
      /\?launched$/,
    )
  },
)
