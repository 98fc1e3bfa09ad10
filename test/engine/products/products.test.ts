import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { TestProduct } from '../../../domain/products/product.ts'
import { productsLaunched } from '../../../engine/prices/test-products.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const {
  engine: { app },
  call,
  db,
  token,
  shop,
  platform,
  close,
} = await startWithShop({}, {}, withTestPrices)
t.teardown(close)
const { id: storeId, currency } = await call('storeInfo', {})
const search = (
  query: string,
  over: { pageSize?: number; cursor?: string; direction?: 'forward' | 'backward' } = {},
) => call('searchProducts', { params: { id: storeId }, query: { query, ...over } })
const {
  items: [one, two, three],
} = await search('', { pageSize: 3 })
if (!one || !two || !three) throw new Error('The shop has fewer than three products.')
const priceDraft = async (title = 'Prices') =>
  (await call('createDraft', { body: { kind: 'Price', title } })).id
const add = (
  testDraftId: string,
  productId: string,
  pricing: { rule?: Rule; prices?: { variantId: string; price: number }[] } = {},
) => call('createTestProduct', { body: { testDraftId, productId, ...pricing } })
type Rule = { kind: 'set' | 'amount' | 'percent'; value: number; rounding?: 'none' | 'charm' }
const raise: Rule = { kind: 'percent', value: 10 }
const listed = (id: string) => call('testProducts', { params: { id }, query: { limit: 100 } })
const prices = ({ variants }: TestProduct) =>
  variants.map(variant => [variant.price, variant.controlPrice, variant.variantPrice])
const version = async (id: string) => (await call('draft', { params: { id } })).version
const launched = async (draftId: string, over: Parameters<typeof seedTest>[2] = {}) => {
  const testId = await seedTest(db, storeId, { kind: 'Price', draft_id: draftId, ...over })
  await db.kysely.transaction().execute(async trx => {
    await trx.deleteFrom('drafts').where('draft_id', '=', draftId).execute()
    await productsLaunched(trx, storeId, draftId, testId)
  })
  return testId
}
const fieldsOf = async (method: 'POST' | 'PUT', url: string, payload: object) => {
  const response = await app.inject({
    method,
    url,
    payload,
    headers: { authorization: `Bearer ${token}` },
  })
  return [
    response.statusCode,
    response.json<{ fields?: { field: string }[] }>().fields?.map(({ field }) => field),
  ]
}

t.test(
  'products of the shop are found by title, page by page both ways, with their product variants',
  async t => {
    const first = await search('', { pageSize: 2 })
    t.same(
      [first.items.map(({ id }) => id), first.hasPrevious, first.hasNext],
      [[one.id, two.id], false, true],
    )
    t.ok(first.totalCount > 3)
    const second = await search('', { pageSize: 2, cursor: first.endCursor! })
    t.same([second.items[0]!.id, second.hasPrevious], [three.id, true])
    t.same(
      (
        await search('', { pageSize: 2, cursor: second.startCursor!, direction: 'backward' })
      ).items.map(({ id }) => id),
      [one.id, two.id],
    )
    t.match(one, { currency, variantCount: one.variants.length, conflicts: [] })
    for (const { createdAt, updatedAt, price, productId } of one.variants) {
      t.notOk(Number.isNaN(Date.parse(createdAt) + Date.parse(updatedAt)))
      t.ok(Number.isInteger(price) && price >= one.minPrice && price <= one.maxPrice)
      t.equal(productId, one.id)
    }
    const byTitle = await search(one.title)
    t.ok(byTitle.items.some(({ id }) => id === one.id) && byTitle.totalCount < first.totalCount)
    t.same(await search('no product is called this'), {
      items: [],
      totalCount: 0,
      startCursor: null,
      endCursor: null,
      hasPrevious: false,
      hasNext: false,
    })
    const variants = await call('productVariants', {
      params: { id: storeId, productId: one.id },
      query: {},
    })
    t.same(variants.items, one.variants)
    await t.rejects(
      call('productVariants', { params: { id: storeId, productId: 'none' }, query: {} }),
      like({ status: 404 }),
    )
  },
)

t.test(
  'a product joins a draft with the shop’s price in both arms; then a rule or the merchant sets prices',
  async t => {
    const draft = await priceDraft()
    const before = await version(draft)
    const product = await add(draft, one.id)
    t.match(product, {
      testDraftId: draft,
      testId: null,
      productId: one.id,
      title: one.title,
      currency,
      rule: null,
      errors: [],
      conflicts: [],
      variantCount: one.variantCount,
    })
    t.same(
      prices(product),
      one.variants.map(({ price }) => [price, price, price]),
    )
    t.equal(await version(draft), before + 1, 'the new version makes a launch check again')

    const ruled = await call('updateTestProduct', {
      params: { id: product.id },
      body: { rule: { ...raise, rounding: 'charm' } },
    })
    t.match(ruled, { id: product.id, rule: { ...raise, rounding: 'charm' } })
    for (const { controlPrice, variantPrice } of ruled.variants)
      t.ok(variantPrice % 100 === 99 && Math.abs(variantPrice - controlPrice * 1.1) <= 50)

    const variantId = one.variants[0]!.id
    const byHand = await call('setProductPrices', {
      params: { id: product.id },
      body: { prices: [{ variantId, price: 1234 }] },
    })
    t.same(
      [byHand.rule, byHand.variants.map(({ variantPrice }) => variantPrice)],
      [null, [1234, ...ruled.variants.slice(1).map(({ variantPrice }) => variantPrice)]],
    )
    t.same((await listed(draft)).products, [byHand])

    const undone = await call('setProductPrices', {
      params: { id: product.id },
      body: { prices: [{ variantId, price: ruled.variants[0]!.variantPrice }] },
    })
    t.same(
      [undone.rule, prices(undone)],
      [ruled.rule, prices(ruled)],
      'prices that equal the rule’s follow the rule again',
    )
    await call('updateTestProduct', { params: { id: product.id }, body: { rule: null } })
    await call('setProductPrices', {
      params: { id: product.id },
      body: { prices: [{ variantId, price: 1234 }] },
    })
    const given = await call('setProductPrices', {
      params: { id: product.id },
      body: { prices: [{ variantId, price: ruled.variants[0]!.variantPrice }] },
    })
    t.equal(given.rule, null, 'a rule that was removed stays removed')
  },
)

t.test(
  'prices and products that are not valid are refused at their field, and nothing is stored',
  async t => {
    const draft = await priceDraft()
    const { id } = await add(draft, one.id)
    const before = await listed(draft)
    const variantId = one.variants[0]!.id
    const put = (body: object) => fieldsOf('PUT', `/api/demo-products/${id}`, body)
    t.same(await put({ rule: { kind: 'amount', value: -100_000_00 } }), [400, ['rule']])
    t.same(await put({ rule: { kind: 'percent', value: -100 } }), [400, ['rule.value']])
    t.same(await put({ rule: raise, prices: [{ variantId, price: 100 }] }), [400, ['rule']])
    t.same(await put({ price: 100, storeId }), [400, ['price', 'storeId']])
    t.match(
      await put(Object.fromEntries([...'abcdefghij'].map(name => [name, 1]))),
      [400, ['a', 'b']],
      'also when there are many unknown fields',
    )
    const set = (list: object[]) =>
      fieldsOf('PUT', `/api/demo-products/${id}/prices`, { prices: list })
    t.same(await set([{ variantId, price: 0 }]), [400, ['prices.0.price']])
    t.same(await set([{ variantId, price: 12.5 }]), [400, ['prices.0.price']])
    t.same(await set([{ variantId: 'x', price: 100 }]), [400, ['prices.0.variantId']])
    t.same(
      await set([
        { variantId, price: 100 },
        { variantId, price: 200 },
      ]),
      [400, ['prices.1.variantId']],
    )
    t.same(
      await fieldsOf('POST', '/api/demo-products', { testDraftId: draft, productId: 'none' }),
      [400, ['productId']],
    )
    t.same(
      await fieldsOf('POST', '/api/demo-products', { testDraftId: draft, productId: one.id }),
      [409, ['productId']],
      'a product can be in a draft only once',
    )
    t.same(await listed(draft), before)
    const { id: other } = await call('createDraft', { body: { kind: 'PageElement' } })
    t.same(
      await fieldsOf('POST', '/api/demo-products', { testDraftId: other, productId: one.id }),
      [400, ['testDraftId']],
    )
  },
)

t.test('a batch adds, changes and removes products, either all of it or nothing', async t => {
  const draft = await priceDraft()
  const batch = (products: object[], query = `?testDraftId=${draft}`) =>
    fieldsOf('POST', `/api/demo-products/batch-upsert${query}`, { products })
  const page = await call('upsertProducts', {
    query: { testDraftId: draft },
    body: { products: [{ productId: one.id, rule: raise }, { productId: two.id }] },
  })
  t.same(Object.keys(page).sort(), ['limit', 'page', 'products', 'totalCount', 'totalPages'])
  t.match(page, { totalCount: 2, page: 0, limit: 100, totalPages: 1 })
  t.same(
    page.products.map(({ productId, rule }) => [productId, rule]),
    [
      [one.id, raise],
      [two.id, null],
    ],
  )
  const next = await call('upsertProducts', {
    query: {},
    body: {
      products: [
        { testDraftId: draft, productId: one.id, remove: true },
        { testDraftId: draft, productId: two.id, rule: raise },
        { testDraftId: draft, productId: three.id },
      ],
    },
  })
  t.same(
    next.products.map(({ id, productId, rule }) => [id === page.products[1]!.id, productId, rule]),
    [
      [true, two.id, raise],
      [false, three.id, null],
    ],
  )
  t.same(await batch([{ productId: one.id }, { productId: 'none' }]), [
    400,
    ['products.1.productId'],
  ])
  t.same(await batch([{ productId: one.id }, { productId: one.id }]), [
    400,
    ['products.1.productId'],
  ])
  t.same(
    await batch([{ productId: one.id }, { productId: two.id, rule: { kind: 'set', value: -1 } }]),
    [400, ['products.1.rule.value']],
  )
  t.same(await batch([{ productId: one.id }], ''), [400, ['products.0.testDraftId']])
  t.same(await batch([]), [400, ['products']])
  t.equal((await batch([{ productId: one.id }], `?testDraftId=${randomUUID()}`))[0], 404)
  t.same((await listed(draft)).products, next.products)
})

t.test('products are listed and counted for the store and for one test or draft', async t => {
  const before = (await call('countProducts', { params: { a: 'store', b: storeId } })).count
  const draft = await priceDraft()
  await call('upsertProducts', {
    query: { testDraftId: draft },
    body: { products: [one, two, three].map(({ id }) => ({ productId: id })) },
  })
  t.match(await call('testProducts', { params: { id: draft }, query: { limit: 2, page: 1 } }), {
    products: [{ productId: three.id }],
    totalCount: 3,
    page: 1,
    limit: 2,
    totalPages: 2,
  })
  for (const [a, b, count] of [
    ['store', storeId, before + 3],
    ['test', draft, 3],
    [storeId, draft, 3],
  ] as const)
    t.same(await call('countProducts', { params: { a, b } }), { count }, `${a}/${b}`)
  const store = await call('storeProducts', { params: { id: storeId }, query: { limit: 100 } })
  t.equal(store.totalCount, before + 3)
  t.same(store.products.slice(-3), (await listed(draft)).products)
  for (const [a, b] of [
    ['store', randomUUID()],
    ['test', randomUUID()],
    [randomUUID(), draft],
    ['shop', draft],
  ] as const)
    await t.rejects(call('countProducts', { params: { a, b } }), like({ status: 404 }))
  await t.rejects(
    call('storeProducts', { params: { id: draft }, query: {} }),
    like({ status: 404 }),
  )
  await call('deleteDraft', { params: { id: draft } })
  t.equal(
    (await call('countProducts', { params: { a: 'store', b: storeId } })).count,
    before,
    'the products of a deleted draft are deleted',
  )
})

t.test(
  'a launched test keeps products and prices; another draft with the same product gets a conflict',
  async t => {
    const draft = await priceDraft()
    const { id } = await add(draft, one.id, { rule: raise })
    const testId = await launched(draft, { title: 'Autumn prices' })
    t.match((await listed(testId)).products, [{ id, testDraftId: null, testId, conflicts: [] }])
    await t.rejects(listed(draft), like({ status: 404 }), 'the draft is gone')
    await t.rejects(
      call('updateTestProduct', { params: { id }, body: { rule: raise } }),
      like({ status: 409 }),
    )
    await t.rejects(
      call('setProductPrices', {
        params: { id },
        body: { prices: [{ variantId: one.variants[0]!.id, price: 5 }] },
      }),
      like({ status: 409 }),
    )

    const second = await priceDraft()
    const conflicts = [{ testId, title: 'Autumn prices' }]
    t.same((await add(second, one.id, { rule: raise })).conflicts, conflicts)
    await add(second, two.id, { rule: raise })
    t.same((await search(one.title)).items.find(item => item.id === one.id)!.conflicts, conflicts)
    t.match(await call('validateTestProducts', { params: { id: second } }), {
      valid: false,
      problems: [{ cause: 'conflict', productId: one.id, message: /Autumn prices/ }],
    })
    t.same(await call('removeConflictedProducts', { params: { id: second } }), { removed: 1 })
    t.same(await call('validateTestProducts', { params: { id: second } }), {
      valid: true,
      problems: [],
    })
    t.same(await call('removeConflictedProducts', { params: { id: second } }), { removed: 0 })

    await db.kysely
      .updateTable('tests')
      .set({ status: 'Ended' })
      .where('test_id', '=', testId)
      .execute()
    t.same((await add(second, one.id)).conflicts, [], 'an ended test is no conflict')
    await call('deleteTest', { params: { id: testId } })
    t.equal(
      (
        await db.kysely
          .selectFrom('test_products')
          .select('store_id')
          .where('test_id', '=', testId)
          .execute()
      ).length,
      0,
    )
  },
)

t.test('without the feature flag every call is refused with the documented message', async t => {
  const draft = await priceDraft()
  const { id } = await add(draft, three.id)
  const { feature_flags } = await db.kysely
    .selectFrom('stores')
    .select('feature_flags')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  await db.kysely
    .updateTable('stores')
    .set({ feature_flags: '["DomTesting"]' })
    .where('store_id', '=', storeId)
    .execute()
  const refused = {
    status: 403,
    problem: {
      message:
        'Price testing feature is not enabled for this store. Please contact support to enable this feature.',
    },
  }
  const list = [{ variantId: 'x', price: 5 }]
  const answers = await Promise.allSettled([
    call('storeProducts', { params: { id: storeId }, query: {} }),
    call('testProducts', { params: { id: draft }, query: {} }),
    call('validateTestProducts', { params: { id: draft } }),
    call('clearProductErrors', { params: { id: draft } }),
    call('removeConflictedProducts', { params: { id: draft } }),
    add(draft, one.id),
    call('updateTestProduct', { params: { id }, body: {} }),
    call('setProductPrices', { params: { id }, body: { prices: list } }),
    call('upsertProducts', {
      query: { testDraftId: draft },
      body: { products: [{ productId: one.id }] },
    }),
    search(''),
    call('productVariants', { params: { id: storeId, productId: one.id }, query: {} }),
    call('countProducts', { params: { a: 'test', b: draft } }),
  ])
  for (const answer of answers) t.match(answer, { status: 'rejected', reason: refused })
  await db.kysely
    .updateTable('stores')
    .set({ feature_flags: JSON.stringify(feature_flags) })
    .where('store_id', '=', storeId)
    .execute()
  t.equal((await listed(draft)).totalCount, 1, 'nothing was changed')
})

t.test('a product webhook adds an error to the drafts that have the product', async t => {
  const draft = await priceDraft()
  const product = await add(draft, two.id)
  const [{ id: variantId, controlPrice }] = product.variants as [TestProduct['variants'][number]]
  const errorsAfter = async (price: number) => {
    await platform.setPrices(firstShop, two.id, [{ variantId, price }])
    await shop.delivered()
    return (await listed(draft)).products.flatMap(({ errors }) => errors)
  }
  t.match(await errorsAfter(controlPrice + 100), [{ cause: 'priceChanged', variantId }])
  t.equal((await errorsAfter(controlPrice)).length, 1, 'the error stays until it is cleared')
  await call('clearProductErrors', { params: { id: draft } })
  t.match((await listed(draft)).products, [
    {
      id: product.id,
      errors: [],
      variants: product.variants.map(({ controlPrice, variantPrice }) => ({
        price: controlPrice,
        controlPrice,
        variantPrice,
      })),
    },
  ])
})
