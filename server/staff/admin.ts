import type { FastifyInstance } from 'fastify'
import { adminDiscounts } from './admin-discounts.ts'
import { adminEarnings } from './admin-earnings.ts'
import { adminFeatures } from './admin-features.ts'
import { adminHealth } from './admin-health.ts'
import { adminLeads } from './admin-leads.ts'
import { adminTests } from './admin-tests.ts'
import { adminTrials } from './admin-trials.ts'

/** Staff's panel, behind their gate. */
export function admin(app: FastifyInstance, options: { clock: () => Date }): void {
  adminFeatures(app)
  adminTrials(app, options)
  adminLeads(app, options)
  adminDiscounts(app, options)
  adminTests(app)
  adminHealth(app, options)
  adminEarnings(app, options)
}
