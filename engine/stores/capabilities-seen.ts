import { isDeepStrictEqual } from 'node:util'
import type { EngineContext } from '../context.ts'

/**
 * Asks the platform what the shop can do now and keeps the answer. Returns whether it differs from
 * the answer before; the first one differs from nothing.
 */
export async function seeCapabilities(
  { db: { kysely }, platform }: Pick<EngineContext, 'db' | 'platform'>,
  { storeId, shop }: { storeId: string; shop: string },
): Promise<boolean> {
  const now = await platform.capabilities(shop, { isFresh: true })
  const known = await kysely
    .selectFrom('reconciliations')
    .select('capabilities')
    .where('store_id', '=', storeId)
    .executeTakeFirst()
  if (isDeepStrictEqual(known?.capabilities, now)) return false
  const capabilities = JSON.stringify(now)
  await kysely
    .insertInto('reconciliations')
    .values({ store_id: storeId, capabilities })
    .onConflict(oc => oc.column('store_id').doUpdateSet({ capabilities }))
    .execute()
  return known?.capabilities != null
}
