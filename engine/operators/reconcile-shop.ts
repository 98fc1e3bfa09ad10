import { isDeepStrictEqual } from 'node:util'
import type { Reconciled } from '../../domain/platform/reconciled.ts'
import type { EngineContext } from '../context.ts'
import { syncBilling } from '../plans/billing.ts'
import { productsChanged } from '../prices/test-products.ts'
import { seeCapabilities } from '../stores/capabilities-seen.ts'
import { storeEvents } from '../stores/stores.ts'
import { checkTests } from '../tests/check-tests.ts'
import { themeEvents } from '../themes/themes.ts'
import type { ComparedStore, Step } from './compared-store.ts'

/**
 * The subscription comes first: a platform that does not know the shop says so here.
 */
export const shopSteps: readonly Step[] = [subscription, capabilities, factsAndTheme, products]

const counted = (thing: keyof Reconciled, count: number): Reconciled =>
  count > 0 ? { [thing]: count } : {}

/** Without the dates: they move with each paid period, and no webhook says so. */
async function subscription(context: EngineContext, { storeId }: ComparedStore) {
  const standing = () =>
    context.db.kysely
      .selectFrom('stores')
      .select(['subscription_id', 'subscription_status', 'plan_id', 'pending_plan'])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  const before = await standing()
  await syncBilling(context, storeId)
  return counted('subscriptions', Number(!isDeepStrictEqual(before, await standing())))
}

async function capabilities(context: EngineContext, store: ComparedStore) {
  return counted('capabilities', Number(await seeCapabilities(context, store)))
}

async function factsAndTheme(context: EngineContext, store: ComparedStore) {
  const { shop, storeId, run, until } = store
  const now = await context.platform.shop(shop)
  const row = await context.db.kysely
    .selectFrom('stores')
    .select(['domain', 'origin', 'currency', 'time_zone', 'email', 'shop_name', 'theme_id'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const hasNewFacts =
    row.domain !== now.domain ||
    row.origin !== now.origin ||
    row.currency !== now.currency ||
    row.time_zone !== now.timeZone ||
    row.email !== now.email ||
    row.shop_name !== now.name
  const hasNewTheme = row.theme_id !== now.themeId
  const delivery = {
    topic: 'reconciliation',
    shop,
    deliveryId: `${run.id} ${until.toISOString()}`,
    triggeredAt: context.clock().toISOString(),
  }
  const adapter = context.platforms.platformOf(store)
  if (hasNewFacts) await storeEvents(context).shopUpdated(delivery, {}, adapter)
  if (hasNewTheme) await themeEvents(context).themesPublished(delivery, {}, adapter)
  return { ...counted('shopFacts', Number(hasNewFacts)), ...counted('themes', Number(hasNewTheme)) }
}

/** Products asked about at once. */
const pageSize = 50

/** Products of price tests and their drafts. */
async function products(context: EngineContext, { storeId, run }: ComparedStore) {
  const read = () =>
    context.db.kysely
      .selectFrom('test_products as p')
      .leftJoin('tests as t', join =>
        join.onRef('t.store_id', '=', 'p.store_id').onRef('t.test_id', '=', 'p.test_id'),
      )
      .select(['p.test_product_id as id', 'p.product_id', 'p.errors', 'p.variants'])
      .where('p.store_id', '=', storeId)
      .where(eb => eb.or([eb('t.status', 'is', null), eb('t.status', '!=', 'Ended')]))
      .orderBy('p.seq')
      .execute()
  const before = await read(),
    ids = [...new Set(before.map(({ product_id }) => product_id))]
  for (let from = 0; from < ids.length; from += pageSize) {
    run.signal.throwIfAborted()
    await productsChanged(context, storeId, ids.slice(from, from + pageSize))
  }
  const known = new Map(before.map(row => [row.id, row]))
  const changed = (await read()).filter(row => !isDeepStrictEqual(row, known.get(row.id) ?? row))
  return counted('products', new Set(changed.map(({ product_id }) => product_id)).size)
}

/**
 * The themes, templates, pages and products of running tests. Last, because whether they can
 * continue depends on all of the others, and one that cannot be checked must not keep orders from
 * being compared.
 */
export async function reconcileTests(
  context: EngineContext,
  { storeId, running, run }: ComparedStore,
) {
  await checkTests(context, { storeId, signal: run.signal })
  const held = new Set(await testsThat(context, storeId, 'OnHold'))
  return counted('tests', running.filter(id => held.has(id)).length)
}

/** The ids of a store's tests of this status. */
export async function testsThat(
  { db: { kysely } }: EngineContext,
  storeId: string,
  status: 'Active' | 'OnHold',
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('tests')
    .select('test_id')
    .where('store_id', '=', storeId)
    .where('status', '=', status)
    .execute()
  return rows.map(row => row.test_id)
}
