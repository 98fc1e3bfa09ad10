import { randomUUID } from 'node:crypto'
import { seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'
import type { startWithShop } from '../support/with-shop.ts'

type Started = Awaited<ReturnType<typeof startWithShop>>

/**
 * Fills a store with one of each kind of thing that has an id. Returns the ids by name, and as the
 * list `ids`.
 */
export async function furnish(
  { call, db, engine }: Pick<Started, 'call' | 'db' | 'engine'>,
  token?: string,
) {
  const store = await call('storeInfo', {}, token)
  const draft = await call(
    'createDraft',
    { body: { kind: 'PageElement', title: 'A draft' } },
    token,
  )
  const priceDraft = await call('createDraft', { body: { kind: 'Price', title: 'Prices' } }, token)
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!.id
  const test = await seedTest(db, store.id, {
    status: 'Ended',
    ended_at: new Date('2026-11-10T00:00:00Z'),
  })
  await seedSummary(db, store.id, test, [10, 10])
  const paused = await seedTest(db, store.id, { status: 'Paused' })
  const audience = await call(
    'createAudience',
    { body: { name: 'Britons', values: { 7: { operator: 'Equals', value: 'GB' } } } },
    token,
  )
  const { items } = await call(
    'searchProducts',
    { params: { id: store.id }, query: { query: '', pageSize: 3 } },
    token,
  )
  const product = await call(
    'createTestProduct',
    { body: { testDraftId: priceDraft.id, productId: items[0]!.id } },
    token,
  )
  const { leadId } = await call('requestCustomPlan', {}, token)
  const job = randomUUID()
  await db.kysely
    .insertInto('jobs')
    .values({
      store_id: store.id,
      job_id: job,
      kind: 'rebuild',
      key: null,
      payload: '{}',
      state: '{}',
      status: 'completed',
      progress: 1,
      message: null,
      rerun_at: null,
      lease: null,
      run_at: new Date(),
      created_at: new Date(),
      updated_at: new Date(),
    })
    .execute()
  const own = {
    storeId: store.id,
    draft: draft.id,
    priceDraft: priceDraft.id,
    hypothesis: variant,
    test,
    paused,
    audience: audience.id,
    shopProduct: items[0]!.id,
    product: product.id,
    leadId,
    job,
    plan: 'core-50k-monthly',
    theme: store.themeId!,
  }
  // Sum up now, so that no milestone of a test is stored during the fuzzing.
  await engine.rollUp()
  return { ...own, ids: Object.values(own) }
}
