import { planLevels, type Plan } from './plan.ts'
import type { StoreFeature } from './store.ts'

type Access = { plan: Pick<Plan, 'level'> | undefined; features: readonly StoreFeature[] }

/** Lift Assist, spec §6: Grandfathered, or Advanced or higher, or the feature flag. */
export const canUseLiftAssist = ({ plan, features }: Access): boolean =>
  features.includes('LiftAssists') || (plan !== undefined && (plan.level === planLevels.Grandfathered || plan.level >= planLevels.Advanced))
