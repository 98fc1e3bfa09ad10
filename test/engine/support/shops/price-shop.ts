import { productsLaunched } from '../../../../engine/prices/test-products.ts'
import { seedTest } from '../seeds.ts'
import { firstShop } from '../small-shop.ts'
import { startWithShop, withTestPrices } from '../with-shop.ts'

/** A merchant with the real demo shop, and price tests that do not share products. */
export async function startPriceShop(t: { teardown: (end: () => Promise<void>) => void }) {
  // The shop's webhooks go to a closed port, because here the engine must find changes without
  // them.
  const own = await startWithShop({}, {}, { engineOrigin: 'http://127.0.0.1:9', ...withTestPrices })
  const { call, db, now, shop, platform } = own
  t.teardown(own.close)
  const context = { db, clock: () => now.at, platform }
  const { id: storeId } = await call('storeInfo', {})
  const { items } = await call('searchProducts', {
    params: { id: storeId },
    query: { query: '', pageSize: 40 },
  })
  const catalogue = items.filter(item => item.status === 'active')
  const raise = { kind: 'percent' as const, value: 10 }
  /** A draft with `count` products that no other test here has. */
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
  return {
    ...own,
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
  }
}
