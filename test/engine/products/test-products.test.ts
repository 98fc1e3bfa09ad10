import t from 'tap'
import type { EngineContext } from '../../../engine/context.ts'
import {
  applyPrices,
  productProblems,
  productsChanged,
  productsDuplicated,
  productTrouble,
} from '../../../engine/prices/test-products.ts'
import { like } from '../support/like.ts'
import { startPriceShop } from '../support/shops/price-shop.ts'
import { firstShop } from '../support/small-shop.ts'

const {
  call,
  db,
  now,
  platform,
  context,
  storeId,
  items,
  catalogue,
  raise,
  draftWith,
  launched,
  errors,
  reprice,
  takeOff,
} = await startPriceShop(t)

t.test(
  'a price that the shop changes is found, listed until it is cleared, and then copied into a draft',
  async t => {
    const {
      draft,
      products: [product],
    } = await draftWith()
    t.same(await productProblems(context, storeId, draft), [])
    await reprice(product!, 100)
    const answer = await call('validateTestProducts', { params: { id: draft } })
    t.equal(answer.valid, false)
    t.same(new Set(answer.problems.map(({ cause }) => cause)), new Set(['priceChanged']))
    t.same(await errors(draft), [[]], 'the check changes nothing')
    t.same(
      (await productProblems(context, storeId, draft)).map(({ field }) => field),
      product!.variants.map(() => 'products.0'),
    )
    t.same(await errors(draft), [product!.variants.map(() => 'priceChanged')])
    await reprice(product!, 0)
    t.same(await productProblems(context, storeId, draft), [], 'the old price is back')
    t.same(
      await errors(draft),
      [product!.variants.map(() => 'priceChanged')],
      'the error is still listed',
    )
    await reprice(product!, 200)
    t.same(await call('clearProductErrors', { params: { id: draft } }), {
      cleared: 1,
      removed: 0,
      remaining: 0,
    })
    const [now] = (await call('testProducts', { params: { id: draft }, query: {} })).products
    t.same(now!.errors, [])
    t.same(
      now!.variants.map(({ controlPrice, variantPrice }) => [controlPrice, variantPrice]),
      product!.variants.map(({ price }) => [price + 200, Math.round((price + 200) * 1.1)]),
      'the rule uses the new price',
    )
    t.same(await productProblems(context, storeId, draft), [])
  },
)

t.test('a price draft needs a product and a changed price', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Price' } })
  t.same(
    (await productProblems(context, storeId, id)).map(({ field }) => field),
    ['products'],
  )
  await call('createTestProduct', { body: { testDraftId: id, productId: items[0]!.id } })
  t.match(await productProblems(context, storeId, id), [
    { field: 'products', message: /at least one price/ },
  ])
  const { id: other } = await call('createDraft', { body: { kind: 'PageElement' } })
  t.same(await productProblems(context, storeId, other), [], 'other kinds of test need no products')
})

t.test('a launched test with a wrong price says why, and its prices stay', async t => {
  const {
    draft,
    products: [product],
  } = await draftWith()
  const testId = await launched(draft)
  t.equal(await productTrouble(context, storeId, testId), null)
  await reprice(product!, 100)
  t.match(await productTrouble(context, storeId, testId), {
    cause: 'priceMismatch',
    message: product!.title,
  })
  t.same(
    await call('clearProductErrors', { params: { id: testId } }),
    { cleared: 0, removed: 0, remaining: 1 },
    'the cause remains',
  )
  await reprice(product!, 0)
  t.equal(await productTrouble(context, storeId, testId), null, 'the test can continue')
  t.same(await call('clearProductErrors', { params: { id: testId } }), {
    cleared: 1,
    removed: 0,
    remaining: 0,
  })
  const [kept] = (await call('testProducts', { params: { id: testId }, query: {} })).products
  t.same(
    kept!.variants.map(({ controlPrice }) => controlPrice),
    product!.variants.map(({ price }) => price),
  )
})

t.test('a deleted product is removed from a draft, and from a test on hold', async t => {
  const {
    draft,
    products: [first, second],
  } = await draftWith(2)
  const {
    draft: other,
    products: [third, fourth],
  } = await draftWith(2)
  const testId = await launched(other)
  for (const product of [first, third]) await takeOff(product!.id)
  t.match((await call('validateTestProducts', { params: { id: draft } })).problems, [
    { cause: 'productGone', productId: first!.id, message: first!.title },
  ])
  t.same(
    (await productProblems(context, storeId, draft)).map(({ field }) => field),
    ['products.0'],
  )
  t.same(await call('clearProductErrors', { params: { id: draft } }), {
    cleared: 1,
    removed: 1,
    remaining: 0,
  })
  t.same(
    (await call('testProducts', { params: { id: draft }, query: {} })).products.map(
      ({ productId }) => productId,
    ),
    [second!.id],
  )

  t.match(await productTrouble(context, storeId, testId), {
    cause: 'productGone',
    message: third!.title,
  })
  t.same(
    await call('clearProductErrors', { params: { id: testId } }),
    { cleared: 0, removed: 0, remaining: 1 },
    'a running test keeps its products',
  )
  await db.kysely
    .updateTable('tests')
    .set({ status: 'OnHold' })
    .where('test_id', '=', testId)
    .execute()
  t.same(await call('clearProductErrors', { params: { id: testId } }), {
    cleared: 1,
    removed: 1,
    remaining: 0,
  })
  t.equal(await productTrouble(context, storeId, testId), null)
  await takeOff(fourth!.id)
  t.match(await productTrouble(context, storeId, testId), { cause: 'productGone' })
  t.same(
    await call('clearProductErrors', { params: { id: testId } }),
    { cleared: 0, removed: 0, remaining: 1 },
    'the last product of a test stays',
  )
  const journal = {} as EngineContext['journal']
  await t.rejects(applyPrices({ ...context, journal }, storeId, testId), like({ status: 409 }))
})

t.test('a product can be in only one running price test', async t => {
  const {
    draft,
    products: [product],
  } = await draftWith()
  const again = async () => {
    const { id } = await call('createDraft', { body: { kind: 'Price' } })
    await call('createTestProduct', {
      body: { testDraftId: id, productId: product!.id, rule: raise },
    })
    return id
  }
  const second = await again(),
    third = await again()
  const first = await launched(draft, { title: 'The first' })
  t.match(await productProblems(context, storeId, second), [
    { field: 'products.0', message: /The first/ },
  ])
  await t.rejects(
    launched(second),
    like({ status: 400, message: 'This test is not ready to launch.' }),
    'also when both are launched at the same moment',
  )
  await db.kysely.deleteFrom('tests').where('draft_id', '=', second).execute()
  const scheduled = await launched(third, {
    status: 'Scheduled',
    start_at: null,
    title: 'The second',
  })
  t.match(await productTrouble(context, storeId, scheduled), {
    cause: 'productConflict',
    message: /The first/,
  })
  t.equal(await productTrouble(context, storeId, first), null, 'the running test has no problem')
  await db.kysely
    .updateTable('tests')
    .set({ status: 'Active', start_at: new Date('2026-11-20T00:00:00Z') })
    .where('test_id', '=', scheduled)
    .execute()
  t.equal(
    await productTrouble(context, storeId, first),
    null,
    'of two running tests only the later one has a problem',
  )
  t.match(await productTrouble(context, storeId, scheduled), { cause: 'productConflict' })
  await t.rejects(
    call('removeConflictedProducts', { params: { id: scheduled } }),
    like({ status: 409 }),
    'a running test keeps its products',
  )
})

t.test('a changed product adds an error to drafts and unfinished tests only', async t => {
  const {
    draft,
    products: [product],
  } = await draftWith()
  const { id: other } = await call('createDraft', { body: { kind: 'Price' } })
  await call('createTestProduct', { body: { testDraftId: other, productId: product!.id } })
  const ended = await launched(draft, { status: 'Ended', ended_at: now.at })
  await reprice(product!, 50)
  await productsChanged(context, storeId, [product!.id, 'none'])
  t.same(
    [await errors(other), await errors(ended)],
    [[product!.variants.map(() => 'priceChanged')], [[]]],
  )
  await reprice(product!, 0)
})

t.test('products and prices are copied into another draft', async t => {
  const { draft } = await draftWith(2)
  const copyInto = async (from: string) => {
    const { id } = await call('createDraft', { body: { kind: 'Price' } })
    await db.kysely.transaction().execute(trx => productsDuplicated(trx, storeId, from, id))
    return (await call('testProducts', { params: { id }, query: {} })).products.map(
      ({ productId, rule, variants, testDraftId }) => ({
        productId,
        rule,
        variants,
        isOwn: testDraftId === id,
      }),
    )
  }
  const own = (await call('testProducts', { params: { id: draft }, query: {} })).products.map(
    ({ productId, rule, variants }) => ({ productId, rule, variants, isOwn: true }),
  )
  t.same(await copyInto(draft), own)
  const testId = await launched(draft)
  t.same(await copyInto(testId), own)
  t.same(await copyInto(draft), [], 'the draft is gone')
})

t.test('applying gives everyone an arm’s prices, through the journal', async t => {
  const { draft, products } = await draftWith(2)
  const testId = await launched(draft, { status: 'Ended', ended_at: now.at })
  const written: { productId: string; testId: string | null }[] = []
  const journal = {
    makeAll: async ({ testId }, steps) => {
      for await (const step of steps) {
        if (!('prices' in step)) throw new Error('Only prices are set.')
        const { productId, prices } = step
        written.push({ productId, testId: testId ?? null })
        await platform.setPrices(firstShop, productId, prices)
      }
    },
  } as Pick<EngineContext['journal'], 'makeAll'> as EngineContext['journal']
  const inShop = async () => {
    const found = await platform.productsById(
      firstShop,
      products.map(({ id }) => id),
    )
    return products.map(({ id }) =>
      found.find(({ product }) => product.id === id)!.variants.map(({ price }) => price),
    )
  }
  const control = products.map(({ variants }) => variants.map(({ price }) => price))
  t.same(await applyPrices({ ...context, journal }, storeId, testId), [])
  t.same(
    await inShop(),
    control.map(prices => prices.map(price => Math.round(price * 1.1))),
  )
  t.same(
    written,
    products.map(({ id }) => ({ productId: id, testId })),
  )
  await applyPrices({ ...context, journal }, storeId, testId)
  t.equal(written.length, 2, 'a second call changes nothing')
})

t.test('a product variant without a test keeps its current price', async t => {
  const at = catalogue.findIndex(({ variants }) => variants.length > 1),
    [product] = catalogue.splice(at, 1)
  const [tested, other] = product!.variants
  const { id: draft } = await call('createDraft', { body: { kind: 'Price' } })
  await call('createTestProduct', {
    body: {
      testDraftId: draft,
      productId: product!.id,
      prices: [{ variantId: tested!.id, price: tested!.price + 300 }],
    },
  })
  const testId = await launched(draft, { status: 'Ended', ended_at: now.at })
  await platform.setPrices(firstShop, product!.id, [
    { variantId: other!.id, price: other!.price + 1000 },
  ])
  await call('applyVariant', { params: { id: testId } })
  const [{ variants } = { variants: [] }] = await platform.productsById(firstShop, [product!.id])
  t.same(
    variants.slice(0, 2).map(({ price }) => price),
    [tested!.price + 300, other!.price + 1000],
  )
})
