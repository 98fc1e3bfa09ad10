import { adminApiHealth, type ApiHealthOptions } from './admin-api-health.ts'
import { adminAppStats } from './admin-app-stats.ts'
import { adminDiscounts } from './admin-discounts.ts'
import { adminEarnings } from './admin-earnings.ts'
import { adminFeatures } from './admin-features.ts'
import { adminLeads } from './admin-leads.ts'
import { adminOverview } from './admin-overview.ts'
import { adminRecounts } from './admin-recounts.ts'
import { adminStoreHealth } from './admin-store-health.ts'
import { adminTests } from './admin-tests.ts'
import { adminTrials } from './admin-trials.ts'
import type { EngineContext } from '../context.ts'
import { imports } from '../imports/imports.ts'
import type { StaffServe } from '../http/routes.ts'

/** Registers all calls of the staff panel. */
export function admin(serve: StaffServe, context: EngineContext, options: ApiHealthOptions): void {
  adminFeatures(serve, context)
  adminTrials(serve, context)
  adminDiscounts(serve, context)
  adminTests(serve, context)
  adminStoreHealth(serve, context)
  adminOverview(serve, context, options.mailing)
  adminLeads(serve, context, options.mailing)
  adminRecounts(serve, context)
  adminApiHealth(serve, context, options)
  adminAppStats(serve, context)
  adminEarnings(serve, context)
  imports(serve, context)
}
