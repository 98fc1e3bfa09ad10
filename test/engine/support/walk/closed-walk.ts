import type { Test } from 'tap'
import type { Call } from '../../../../domain/api/call.ts'
import { type CallName, contract } from '../../../../domain/api/contract.ts'
import { storeFeatures } from '../../../../domain/stores/store.ts'
import { refusal } from '../engine.ts'
import { launched } from './test-walk.ts'
import type { Walk } from './walker.ts'

/** Whether the API document says that a call may answer 403. */
const mayRefuse = ({ errors, none }: Call): boolean =>
  errors?.[403] !== undefined || (none?.includes(403) ?? false)

/** Every 403 of the API document, got from a store whose plan and flags open nothing. */
export function walkClosed(t: Test, walk: Walk): void {
  const { call, db, storeId } = walk
  const put = (plan_id: string, flags: readonly string[]) =>
    db.kysely
      .updateTable('stores')
      .set({ plan_id, feature_flags: JSON.stringify(flags) as never })
      .where('store_id', '=', storeId)
      .execute()

  t.test('every call that is documented with a 403 answers it', async t => {
    const before = await db.kysely
      .selectFrom('stores')
      .select(['plan_id', 'feature_flags'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    await put('advanced-100k-monthly', storeFeatures)
    const test = { params: { id: await launched(t, walk, 'Closed later', ['/pages/*']) } }
    const changes = await call('createDraft', { body: { kind: 'PageElement', title: 'Closed' } }),
      prices = await call('createDraft', { body: { kind: 'Price', title: 'Closed prices' } })
    const draft = { params: { id: changes.id } },
      products = { params: { id: prices.id } }
    const productId = (
      await call('searchProducts', { params: { id: storeId }, query: { pageSize: 1 } })
    ).items[0]!.id
    const row = {
      params: {
        id: (await call('createTestProduct', { body: { testDraftId: prices.id, productId } })).id,
      },
    }
    const audience = { name: 'Closed', values: { 1: { operator: 'Equals', value: 'x' } } } as never
    const own = { params: { id: (await call('createAudience', { body: audience })).id } }
    const filtered = { ...test, query: {} }

    await put('core-100k-monthly', [])
    const cases: Partial<Record<CallName, () => Promise<unknown>>> = {
      gaAccounts: () => call('gaAccounts', {}),
      gaMeasurementIds: () => call('gaMeasurementIds', { query: { propertyId: '1' } }),
      connectGa: () => call('connectGa', {}),
      finishGa: () => call('finishGa', { body: { code: 'x', state: 'x' } }),
      setGaProperty: () => call('setGaProperty', { body: { accountId: '1', propertyId: '1' } }),
      enableGa: () => call('enableGa', {}),
      liftAssists: () => call('liftAssists', { query: {} }),
      storeProducts: () => call('storeProducts', { params: { id: storeId }, query: {} }),
      testProducts: () => call('testProducts', { ...products, query: {} }),
      validateTestProducts: () => call('validateTestProducts', products),
      clearProductErrors: () => call('clearProductErrors', products),
      removeConflictedProducts: () => call('removeConflictedProducts', products),
      createTestProduct: () =>
        call('createTestProduct', { body: { testDraftId: prices.id, productId } }),
      updateTestProduct: () => call('updateTestProduct', { ...row, body: {} }),
      setProductPrices: () =>
        call('setProductPrices', { ...row, body: { prices: [{ variantId: '1', price: 1 }] } }),
      upsertProducts: () =>
        call('upsertProducts', {
          query: { testDraftId: prices.id },
          body: { products: [{ productId }] },
        }),
      searchProducts: () => call('searchProducts', { params: { id: storeId }, query: {} }),
      productVariants: () =>
        call('productVariants', { params: { id: storeId, productId }, query: {} }),
      countProducts: () => call('countProducts', { params: { a: 'store', b: storeId } }),
      createDraft: () => call('createDraft', { body: { kind: 'PageElement' } }),
      updateDraft: () => call('updateDraft', { ...products, body: { products: [] } }),
      duplicateDraft: () => call('duplicateDraft', draft),
      launchDraft: () => call('launchDraft', draft),
      duplicateTest: () => call('duplicateTest', test),
      byChannel: () => call('byChannel', filtered),
      byOrderType: () => call('byOrderType', filtered),
      // Every plan has this report; only its filters need one.
      byDevice: () => call('byDevice', { ...test, query: { visitors: 'new' } }),
      byVisitors: () => call('byVisitors', filtered),
      byCountry: () => call('byCountry', filtered),
      referrers: () => call('referrers', filtered),
      createAudience: () => call('createAudience', { body: audience }),
      previewAudience: () => call('previewAudience', { body: { audienceIds: [own.params.id] } }),
      updateAudience: () => call('updateAudience', { ...own, body: audience }),
      deleteAudience: () => call('deleteAudience', own),
    }
    t.same(
      Object.keys(cases).sort(),
      Object.entries<Call>(contract)
        .filter(([, row]) => mayRefuse(row))
        .map(([name]) => name)
        .sort(),
      'the cases are the calls of the document',
    )
    for (const [name, ask] of Object.entries(cases))
      t.equal((await refusal(ask())).status, 403, name)
    await put(before.plan_id!, before.feature_flags)
  })
}
