import { type Access, can, type Capability, closedMessage } from '../../domain/access.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { storeFeatures } from '../../domain/stores/store.ts'
import { hasLapsed } from '../../domain/stores/store-subscription.ts'
import type { Db } from '../db/connection.ts'
import { notFound } from '../http/routes.ts'

export type StoreAccess = {
  can: (capability: Capability) => boolean
  /** Throws HttpProblem 403 that names the plan with this capability. */
  require: (capability: Capability) => void
}

/** What decides about a store's features, in its row and in its plan's. */
export type AccessRow = {
  feature_flags: readonly string[]
  subscriptionStatus: Parameters<typeof hasLapsed>[0]['subscriptionStatus']
  hasSubscribed: boolean
  level: number | null
}
export const accessIn = (store: AccessRow): Access => ({
  plan: store.level === null || hasLapsed(store) ? undefined : { level: store.level },
  features: storeFeatures.filter(feature => store.feature_flags.includes(feature)),
})

/** What a store may do by its plan and flags (requirements 16.13). */
export async function access(
  { db: { kysely } }: { db: Pick<Db, 'kysely'> },
  storeId: string,
): Promise<StoreAccess> {
  const store = await kysely
    .selectFrom('stores as s')
    .leftJoin('plans as p', 'p.plan_id', 's.plan_id')
    .select([
      's.feature_flags',
      's.subscription_status as subscriptionStatus',
      's.has_subscribed as hasSubscribed',
      'p.level',
    ])
    .where('s.store_id', '=', storeId)
    .executeTakeFirst()
  if (!store) throw notFound('store')
  const held = accessIn(store)
  return {
    can: capability => can(capability, held),
    require: capability => {
      if (!can(capability, held)) throw new HttpProblem(403, closedMessage(capability))
    },
  }
}
