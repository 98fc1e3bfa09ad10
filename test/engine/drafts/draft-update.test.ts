import t from 'tap'
import type { DraftUpdate } from '../../../domain/drafts/draft-update.ts'
import { like } from '../support/like.ts'
import { startWithShop } from '../support/with-shop.ts'

const { call, now, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const begin = (kind: 'PageElement' | 'Price' | 'UrlRedirect') =>
  call('createDraft', { body: { kind, title: 'One save' } })
const put = (id: string, body: DraftUpdate) => call('updateDraft', { params: { id }, body })
const stored = (id: string) => call('draft', { params: { id } })
const change = (value: string) => ({
  selector: '.buy',
  kind: 'html' as const,
  value,
  name: '',
})
const changes = (...values: string[]) => [
  { id: crypto.randomUUID(), urlPatterns: ['/products/*'], actions: values.map(change) },
]
const day = (days: number) => new Date(now.at.getTime() + days * 86_400_000).toISOString()
const by = (turn: number, page = 'a-page') => ({ page, turn })

t.test('one save stores fields, changes and schedule, and creates one version', async t => {
  const { id, version } = await begin('PageElement')
  const saved = await put(id, {
    version,
    title: 'All at once',
    domSelectors: changes('<b>Now</b>'),
    schedule: { launchAt: day(1), automaticallyEndAt: day(20) },
  })
  t.match(saved, {
    version: version + 1,
    title: 'All at once',
    domSelectors: [{ actions: [{ value: '<b>Now</b>' }] }],
    launchAt: day(1),
    automaticallyEndAt: day(20),
    variantCreatedAt: String,
    savedBy: null,
  })
  t.match(
    await put(id, {
      title: 'All at once',
      domSelectors: changes('<b>Now</b>'),
      schedule: { launchAt: day(1) },
    }),
    { version: version + 1, updatedAt: saved.updatedAt },
    'saving the same content again creates no version',
  )
  t.match(
    await put(id, { version, title: 'All at once' }),
    { version: version + 1 },
    'the second click of a double click is no conflict',
  )
  await t.rejects(put(id, { version, title: 'Other' }), like({ status: 409 }))
})

t.test(
  'one invalid part stops the whole save, unless the request asks to store the rest',
  async t => {
    const { id, version } = await begin('PageElement')
    await put(id, { domSelectors: changes('<b>Was</b>', '<i>Was</i>') })
    const wrong: DraftUpdate = {
      title: 'Kept',
      weights: [0.6, 0.6],
      audienceIds: ['gone-since'],
      domSelectors: changes('<script>steal()</script>', '<i>Is</i>'),
      schedule: { launchAt: day(-1) },
    }
    const fields = ['weights', 'audienceIds.0', 'domSelectors.0.actions.0.value', 'launchAt']
    await t.rejects(
      put(id, wrong),
      like({ status: 400, problem: { fields: fields.map(field => ({ field })) } }),
    )
    t.match(await stored(id), { title: 'One save', version: version + 1 })
    const saved = await put(id, { ...wrong, storeRest: true })
    t.same(
      saved.problems?.map(({ field }) => field),
      fields,
    )
    t.match(saved, {
      title: 'Kept',
      weights: [0.5, 0.5],
      audienceIds: [],
      launchAt: null,
      version: version + 2,
      domSelectors: [{ actions: [{ value: '<b>Was</b>' }, { value: '<i>Is</i>' }] }],
    })
  },
)

t.test('a save also sets prices, but only of products of this draft', async t => {
  const { id, version } = await begin('Price')
  const {
    items: [product],
  } = await call('searchProducts', { params: { id: storeId }, query: { pageSize: 1 } })
  const row = await call('createTestProduct', {
    body: { testDraftId: id, productId: product!.id },
  })
  const [first] = row.variants,
    prices = [{ variantId: first!.id, price: first!.price + 100 }]
  const at = (await stored(id)).version
  t.equal(at, version + 1)
  t.match(await put(id, { version: at, title: 'Dearer', products: [{ id: row.id, prices }] }), {
    version: at + 1,
    title: 'Dearer',
  })
  const priceNow = async () =>
    (await call('testProducts', { params: { id }, query: {} })).products[0]!.variants[0]!
      .variantPrice
  t.equal(await priceNow(), first!.price + 100)
  t.match(await put(id, { version: at, products: [{ id: row.id, prices }] }), { version: at + 1 })

  const other = [{ variantId: first!.id, price: 1 }]
  await t.rejects(
    put(id, { title: 'Not stored', products: [{ id: crypto.randomUUID(), prices: other }] }),
    like({ status: 400, problem: { fields: [{ field: 'products.0.id' }] } }),
  )
  await t.rejects(
    put(id, {
      title: 'Not stored',
      products: [{ id: row.id, prices: [{ variantId: 'none', price: 1 }] }],
    }),
    like({ status: 400, problem: { fields: [{ field: 'products.0.prices.0.variantId' }] } }),
  )
  t.match(await stored(id), { title: 'Dearer', version: at + 1 })
  const elsewhere = await begin('Price')
  await t.rejects(
    put(elsewhere.id, { products: [{ id: row.id, prices: other }] }),
    like({ status: 400 }),
    'a row of another draft',
  )
  t.equal(await priceNow(), first!.price + 100)
})

t.test('when saves of one page overtake each other, the last one sent wins', async t => {
  const { id, version } = await begin('UrlRedirect')
  t.match(await put(id, { version, savedBy: by(1), title: 'First' }), {
    version: version + 1,
    savedBy: 'a-page',
  })
  // The page sends this before it gets the answer to its first save.
  t.match(await put(id, { version, savedBy: by(3), title: 'Third' }), { version: version + 2 })
  t.match(
    await put(id, { version, savedBy: by(2), title: 'Second' }),
    { title: 'Third', version: version + 2, isLate: true },
    'the second save arrives late',
  )
  t.match(await put(id, { version, savedBy: by(3), title: 'Third' }), { isLate: true })
  await t.rejects(
    put(id, { version, savedBy: by(1, 'another'), title: 'Theirs' }),
    like({ status: 409 }),
    'another page has not seen these saves',
  )
  await put(id, { title: 'By a script' })
  t.equal((await stored(id)).savedBy, null)
  await t.rejects(
    put(id, { version: version + 2, savedBy: by(4), title: 'Fourth' }),
    like({ status: 409 }),
    'the page itself has not seen the later save',
  )
  const copy = await call('duplicateDraft', { params: { id } })
  t.equal(copy.savedBy, null)
})

t.test('of several saves of one version at once, one is stored and the others fail', async t => {
  const { id, version } = await begin('PageElement')
  const titles = Array.from({ length: 8 }, (_, i) => `Title ${i}`)
  const outcomes = await Promise.allSettled(titles.map(title => put(id, { version, title })))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  t.equal((await stored(id)).version, version + 1)
})
