import { sql } from 'kysely'
import t from 'tap'
import { highestPrice } from '../../../domain/prices/price-rule.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { themeTarget } from '../../../domain/tests/test-target.ts'
import { cyclePeriod } from '../../../engine/events/aggregates/aggregates-store.ts'
import type { EngineContext } from '../../../engine/context.ts'
import {
  applyPrices,
  productProblems,
  productsChanged,
  productsDuplicated,
  productsLaunched,
  productTrouble,
} from '../../../engine/prices/test-products.ts'
import { resumeSuspended, suspendTests } from '../../../engine/tests/test-suspension.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import { seedSummary } from '../support/summaries.ts'
import { startWithShop } from '../support/with-shop.ts'

// The shop's webhooks go nowhere: here the engine finds out by itself.
const { engine, call, db, now, shop, platform, close } = await startWithShop(
  {},
  {},
  { engineOrigin: 'http://127.0.0.1:9' },
)
t.teardown(close)
const context = { db, clock: () => now.at, platform }
const { id: storeId } = await call('storeInfo', {})
const { items } = await call('searchProducts', {
  params: { id: storeId },
  query: { query: '', pageSize: 40 },
})
const catalogue = items.filter(item => item.status === 'active')
const raise = { kind: 'percent' as const, value: 10 }
/** A draft with a product that no other of these tests has. */
async function draftWith(count = 1) {
  const testDraftId = (await call('createDraft', { body: { kind: 'Price', title: 'Prices' } })).id
  const products = catalogue.splice(0, count)
  for (const { id } of products)
    await call('createTestProduct', { body: { testDraftId, productId: id, rule: raise } })
  return { draft: testDraftId, products }
}
async function launched(draft: string, over: Parameters<typeof seedTest>[2] = {}) {
  const testId = await seedTest(db, storeId, { kind: 'Price', draft_id: draft, ...over })
  await db.kysely.transaction().execute(async trx => {
    await trx.deleteFrom('drafts').where('draft_id', '=', draft).execute()
    await productsLaunched(trx, storeId, draft, testId)
  })
  return testId
}
const errors = async (id: string) =>
  (await call('testProducts', { params: { id }, query: {} })).products.map(product =>
    product.errors.map(error => error.cause),
  )
const reprice = (product: (typeof catalogue)[number], by: number) =>
  platform.setPrices(
    firstShop,
    product.id,
    product.variants.map(({ id, price }) => ({ variantId: id, price: price + by })),
  )
const takeOff = (productId: string) =>
  shop.app.inject({ method: 'POST', url: `/admin/products/${productId}/delete` })

t.test(
  'a price that the shop changes: found, noted until cleared, and taken over by a draft',
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
    t.same(await errors(draft), [[]], 'asking changes nothing')
    t.same(
      (await productProblems(context, storeId, draft)).map(({ field }) => field),
      product!.variants.map(() => 'products.0'),
    )
    t.same(await errors(draft), [product!.variants.map(() => 'priceChanged')])
    await reprice(product!, 0)
    t.same(await productProblems(context, storeId, draft), [], 'all is as it was')
    t.same(
      await errors(draft),
      [product!.variants.map(() => 'priceChanged')],
      'and what happened is still there to see',
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
      'the rule follows',
    )
    t.same(await productProblems(context, storeId, draft), [])
  },
)

t.test('a draft of prices needs a product and a difference', async t => {
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
  t.same(
    await productProblems(context, storeId, other),
    [],
    'other kinds have nothing to do with products',
  )
})

t.test('a launched test in trouble says why; its prices stay what they were', async t => {
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
    'the cause is still there',
  )
  await reprice(product!, 0)
  t.equal(await productTrouble(context, storeId, testId), null, 'it may go on')
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

t.test('a product that is gone leaves a draft, and a test that stands still', async t => {
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
    'while it runs it keeps its products',
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
    'its last product stays',
  )
  const journal = {} as EngineContext['journal']
  await t.rejects(applyPrices({ ...context, journal }, storeId, testId), like({ status: 409 }))
})

t.test('a product is in one running price test at a time', async t => {
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
    'nor when both are launched at one moment',
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
  t.equal(await productTrouble(context, storeId, first), null, 'the one that runs is in none')
  await db.kysely
    .updateTable('tests')
    .set({ status: 'Active', start_at: new Date('2026-11-20T00:00:00Z') })
    .where('test_id', '=', scheduled)
    .execute()
  t.equal(await productTrouble(context, storeId, first), null, 'of two that run the later one is')
  t.match(await productTrouble(context, storeId, scheduled), { cause: 'productConflict' })
  await t.rejects(
    call('removeConflictedProducts', { params: { id: scheduled } }),
    like({ status: 409 }),
    'a running test keeps its products',
  )
})

t.test(
  'no way leads a second price test to a product: neither resuming nor a start nor a subscription that is back',
  async t => {
    await call('endAllTests', { body: { priceTestsOnly: true } })
    const {
      draft,
      products: [product],
    } = await draftWith()
    const beside = async (over: Parameters<typeof seedTest>[2]) => {
      const { id } = await call('createDraft', { body: { kind: 'Price' } })
      await call('createTestProduct', {
        body: { testDraftId: id, productId: product!.id, rule: raise },
      })
      return launched(id, { start_at: now.at, ...over })
    }
    const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
      call('updateTest', { params: { id }, body: { status } })
    const statusOf = async (id: string) => (await call('test', { params: { id } })).status
    const paused = await beside({ status: 'Paused', title: 'Paused' }),
      scheduled = await beside({
        status: 'Scheduled',
        start_at: null,
        launch_at: new Date(now.at.getTime() + 86_400_000),
        title: 'Scheduled',
      })
    const { checks } = await call('draftChecks', { params: { id: draft } })
    t.match(
      checks.find(({ name }) => name === 'products'),
      {
        tone: 'warn',
        message: '“Paused” and “Scheduled” are not running and use products of this test.',
        remedy: /cannot start or resume/,
      },
    )
    const first = await launched(draft, { title: 'The first', start_at: now.at })
    await t.rejects(
      put(paused, 'Active'),
      like({
        status: 409,
        problem: {
          message:
            /paused cannot become running\. .* is in the running price test “The first” already\. End one of the two/,
        },
      }),
    )
    t.equal(await statusOf(paused), 'Paused')
    t.match(await put(scheduled, 'Active'), {
      status: 'OnHold',
      holdCause: { cause: 'productConflict', message: /The first/ },
    })
    await t.rejects(put(scheduled, 'Active'), like({ status: 409 }))
    t.match(await call('resumeOnHold', { body: {} }), {
      resumed: [],
      refused: [{ id: scheduled, message: /The first/ }],
    })
    await put(first, 'Paused')
    // What the shop is asked for takes its time: all three are found in order, and one of them runs.
    const outcomes = await Promise.allSettled([
      put(first, 'Active'),
      put(paused, 'Active'),
      call('resumeOnHold', { body: {} }),
    ])
    const ran = [first, paused, scheduled].filter((_, i) =>
      i < 2
        ? outcomes[i]!.status === 'fulfilled'
        : (outcomes[2] as PromiseFulfilledResult<{ resumed: string[] }>).value.resumed.length > 0,
    )
    t.equal(ran.length, 1)
    t.same(
      (await Promise.all([first, paused, scheduled].map(statusOf))).filter(
        status => status === 'Active',
      ).length,
      1,
    )

    for (const id of [first, paused, scheduled]) if (!ran.includes(id)) await put(id, 'Ended')
    const whole = {
      ...context,
      publisher: { request: async () => {}, publish: async () => {} },
    } as unknown as EngineContext
    await suspendTests(whole, storeId)
    const other = await beside({ title: 'Launched meanwhile' })
    await resumeSuspended(whole, storeId)
    t.match(await call('test', { params: { id: ran[0]! } }), {
      status: 'OnHold',
      holdCause: { cause: 'productConflict', message: /Launched meanwhile/ },
    })
    t.equal(await statusOf(other), 'Active')
    await call('endAllTests', { body: { priceTestsOnly: true } })
  },
)

t.test(
  'prices that the shop refuses hold their test, with its words; all others are published and charged',
  async t => {
    const [dear, fair] = [await draftWith(), await draftWith()]
    const dearId = await launched(dear.draft, { title: 'Too dear', start_at: now.at }),
      fairId = await launched(fair.draft, { start_at: now.at })
    await sql`update test_products set variants = jsonb_set(variants, '{0,variantPrice}', ${String(highestPrice + 1)}::jsonb) where test_id = ${dearId}`.execute(
      db.kysely,
    )
    const published = () =>
      db.kysely
        .selectFrom('published_scripts')
        .select(['wanted', 'published', 'last_error'])
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    const put = (id: string, status: 'Active' | 'Paused' | 'Ended') =>
      call('updateTest', { params: { id }, body: { status } })
    const charged = async () => (await platform.priceRules(firstShop)).map(({ id }) => id)
    await put(await seedTest(db, storeId, { start_at: now.at }), 'Paused')
    t.match(await call('test', { params: { id: dearId } }), {
      status: 'OnHold',
      holdCause: {
        cause: 'priceRefused',
        message: /^The shop refuses the prices of this test: .*price rule/,
        remedy: /prices that the shop accepts/,
      },
    })
    t.same(await charged(), [fairId])
    const row = await published()
    t.same([row.published, row.last_error], [row.wanted, null])
    t.match((await engine.app.inject(`/s/${firstShop}.js`)).payload, fairId)
    t.notMatch((await engine.app.inject(`/s/${firstShop}.js`)).payload, dearId)
    t.match(await put(dearId, 'Active'), { status: 'OnHold' }, 'resumed, it is held again')
    await put(dearId, 'Ended')
    t.match(await put(fairId, 'Ended'), { status: 'Ended' })
    t.same(await charged(), [])
    // Noted as told and never held: after a crash, or by a version of ours that took it up again and again.
    await db.kysely
      .updateTable('published_scripts')
      .set({
        price_rules: JSON.stringify([
          { id: dearId, weights: [0.5, 0.5], prices: { 1: highestPrice + 1 } },
        ]),
      })
      .where('store_id', '=', storeId)
      .execute()
    await put(await seedTest(db, storeId, { start_at: now.at }), 'Ended')
    const after = await published()
    t.same([after.published, after.last_error], [after.wanted, null])
  },
)

t.test(
  'back from suspension, a test that the shop does not answer for runs, and what we know ourselves still holds',
  async t => {
    const all = await platform.themes(firstShop),
      live = all.find(({ role }) => role === 'live')!,
      other = all.find(({ role }) => role !== 'live')
    const themes = {
      kind: 'Theme' as const,
      control_target: JSON.stringify({ ...themeTarget(live.id), hash: null }),
      variant_target: JSON.stringify({ ...themeTarget(other!.id), hash: null }),
      live_theme_id: live.id,
    }
    const ids = [
        await seedTest(db, storeId, themes),
        await seedTest(db, storeId, themes),
        await seedTest(db, storeId),
        await seedTest(db, storeId),
      ],
      split = ids[2]!
    await seedSummary(db, storeId, split, [100, 10], null, null, true)
    let looks = 0
    const failing = async () => {
      throw new HttpProblem(looks++ % 2 ? 404 : 502, 'Not now.')
    }
    const asked = {
      ...context,
      publisher: { request: async () => {}, publish: async () => {} },
      log: { warn: () => {} },
      platform: { ...platform, themes: failing },
    } as unknown as EngineContext
    const back = async () => {
      await suspendTests(asked, storeId)
      await resumeSuspended(asked, storeId)
      return Promise.all(
        ids.map(async id => {
          const { status, holdCause } = await call('test', { params: { id } })
          return holdCause?.cause ?? status
        }),
      )
    }
    t.same(await back(), ['Active', 'Active', 'splitBroken', 'Active'])
    t.equal(looks, 2, 'asked for each, whatever it said of the other')
    const { usage_reset, created_at } = await db.kysely
      .selectFrom('stores')
      .select(['usage_reset', 'created_at'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const period = cyclePeriod((usage_reset ?? created_at).getTime(), now.at.getTime())
    await db.kysely
      .insertInto('store_periods')
      .values({ store_id: storeId, period, visitors: 10_000_000 })
      .execute()
    const { subscription_status, trial_end } = await db.kysely
      .selectFrom('stores')
      .select(['subscription_status', 'trial_end'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    await db.kysely
      .updateTable('stores')
      .set({ trial_end: null })
      .where('store_id', '=', storeId)
      .execute()
    t.same(await back(), ['visitorLimit', 'visitorLimit', 'splitBroken', 'visitorLimit'])
    await db.kysely
      .updateTable('stores')
      .set({ subscription_status, trial_end })
      .where('store_id', '=', storeId)
      .execute()
    await db.kysely
      .deleteFrom('store_periods')
      .where('store_id', '=', storeId)
      .where('period', '=', period)
      .execute()
    await call('endAllTests', { body: { priceTestsOnly: false } })
  },
)

t.test('what the shop says of its products is noted at drafts and unfinished tests', async t => {
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
    setPrices: async ({
      productId,
      prices,
      testId,
    }: Parameters<EngineContext['journal']['setPrices']>[0]) => {
      written.push({ productId, testId })
      await platform.setPrices(firstShop, productId, prices)
    },
  } as EngineContext['journal']
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
  t.equal(written.length, 2, 'again changes nothing')
})

t.test('what was not tested keeps the price that it has by now', async t => {
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
