import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { ScriptPrice, ScriptTest } from '../../domain/script/script-config.ts'
import type { Db } from '../db/connection.ts'
import { productRows, type TestOrDraft } from '../products/product-rows.ts'
import type { Reader } from '../db/types.ts'

/**
 * The rules that the platform needs to charge the prices that the store's running price tests show.
 */
export async function priceRules(
  { kysely }: Pick<Db, 'kysely'>,
  storeId: string,
): Promise<PriceRuleSet[]> {
  const rows = await kysely
    .selectFrom('tests as t')
    .innerJoin('test_products as p', join =>
      join.onRef('p.store_id', '=', 't.store_id').onRef('p.test_id', '=', 't.test_id'),
    )
    .select(['t.test_id', 't.weights', 'p.variants'])
    .where('t.store_id', '=', storeId)
    .where('t.kind', '=', 'Price')
    .where('t.status', '=', 'Active')
    .orderBy('t.start_at')
    .orderBy('t.test_id')
    .orderBy('p.seq')
    .execute()
  const rules = new Map<string, PriceRuleSet>()
  for (const { test_id: id, weights, variants } of rows) {
    const rule = rules.get(id) ?? { id, weights, prices: {} }
    for (const variant of variants) rule.prices[variant.id] = variant.variantPrice
    rules.set(id, rule)
  }
  return [...rules.values()]
}

/**
 * The prices that the script gets for a price test's products, or for a draft's products in its
 * preview: by product handle.
 */
export async function scriptPrices(
  reader: Reader,
  owner: TestOrDraft,
): Promise<NonNullable<ScriptTest['prices']>> {
  const rows = await productRows(reader, owner)
  return Object.fromEntries(
    rows.map(({ handle, variants }) => [
      handle,
      variants.map(({ id, controlPrice, variantPrice }): ScriptPrice => [
        id,
        controlPrice,
        variantPrice,
      ]),
    ]),
  )
}
