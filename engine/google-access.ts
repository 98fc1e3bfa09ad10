import { can, closedMessage } from '../domain/access.ts'
import { HttpProblem } from '../domain/problem.ts'
import type { StoreFeature, SubscriptionStatus } from '../domain/store.ts'
import type { EngineContext } from './context.ts'

const lapsed: readonly SubscriptionStatus[] = ['Cancelled', 'Expired', 'Frozen']

/** Whether a store may use the integration with Google Analytics at present; throws HttpProblem 403 in `require`. */
export function ga4Access({ db }: Pick<EngineContext, 'db'>) {
  const mayUse = async (storeId: string): Promise<boolean> => {
    const store = await db.kysely.selectFrom('stores as s').leftJoin('plans as p', 'p.plan_id', 's.plan_id').select(['p.level', 's.feature_flags', 's.subscription_status']).where('s.store_id', '=', storeId).executeTakeFirst()
    if (!store) return false
    const isLapsed = store.subscription_status !== null && lapsed.includes(store.subscription_status)
    return can('Ga4Integration', { plan: store.level === null || isLapsed ? undefined : { level: store.level }, features: store.feature_flags as StoreFeature[] })
  }
  return {
    mayUse,
    require: async (storeId: string): Promise<void> => {
      if (!await mayUse(storeId)) throw new HttpProblem(403, closedMessage('Ga4Integration'))
    },
  }
}
