import { VendorProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'

/**
 * Markets of the store that have price lists of their own. None while the shop does not answer: no
 * price test changes anything there in any case.
 */
export async function priceListMarkets(
  { db, platform }: Pick<EngineContext, 'db' | 'platform'>,
  storeId: string,
): Promise<string[]> {
  const { shop } = await db.kysely
    .selectFrom('stores')
    .select('shop')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  try {
    return await platform.priceListMarkets(shop)
  } catch (error) {
    if (error instanceof VendorProblem) return []
    throw error
  }
}
