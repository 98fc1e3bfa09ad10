import type { Migration } from '../migrate.ts'
import { core } from './0001-core.ts'
import { events } from './0002-events.ts'
import { changes } from './0003-changes.ts'
import { jobs } from './0004-jobs.ts'
import { lifecycle } from './0005-lifecycle.ts'
import { reporting } from './0006-reporting.ts'
import { products } from './0007-products.ts'
import { billing } from './0008-billing.ts'
import { brand } from './0009-brand.ts'
import { analytics } from './0010-analytics.ts'
import { staff } from './0011-staff.ts'
import { admin } from './0012-admin.ts'
import { checks } from './0013-checks.ts'
import { priceRules } from './0014-price-rules.ts'

/** In the order they are run; one that has been released is never edited. */
export const migrations: readonly Migration[] = [core, events, changes, jobs, lifecycle, reporting, products, billing, brand, analytics, staff, admin, checks, priceRules]
