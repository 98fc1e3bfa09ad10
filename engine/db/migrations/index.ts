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
import { reportFigures } from './0015-report-figures.ts'
import { reportProducts } from './0016-report-products.ts'
import { eventDays } from './0017-event-days.ts'
import { plansAndRenewals } from './0018-plans-and-renewals.ts'
import { whatFilesTell } from './0019-what-files-tell.ts'
import { pauses } from './0020-pauses.ts'
import { leftovers } from './0021-leftovers.ts'
import { expectedVisitors } from './0022-expected-visitors.ts'
import { listFigures } from './0023-list-figures.ts'
import { productPictures } from './0024-product-pictures.ts'
import { winnersOff } from './0025-winners-off.ts'
import { apiHours } from './0026-api-hours.ts'
import { pictures } from './0027-pictures.ts'
import { choicePictures } from './0028-choice-pictures.ts'
import { rulesBefore } from './0029-rules-before.ts'
import { leasedJobs } from './0030-leased-jobs.ts'
import { networks } from './0031-networks.ts'
import { sessions } from './0032-sessions.ts'
import { priceChecks } from './0033-price-checks.ts'
import { erasures } from './0034-erasures.ts'
import { shoppers } from './0035-shoppers.ts'
import { channelsOfEvents } from './0036-channels.ts'
import { secondFactor } from './0037-second-factor.ts'
import { consentRule } from './0038-consent.ts'
import { erasureKey } from './0039-erasure-key.ts'
import { lastSave } from './0040-last-save.ts'
import { networkMeetings } from './0041-network-meetings.ts'
import { asideByDecision } from './0042-aside-by-decision.ts'
import { networkDays } from './0043-network-days.ts'
import { networkGroups } from './0044-network-groups.ts'
import { limitsAndReturns } from './0045-limits-and-returns.ts'
import { leads } from './0046-leads.ts'
import { scriptSwitch } from './0048-script-switch.ts'
import { platformTokens } from './0049-platform-tokens.ts'
import { downloadLinks } from './0050-download-links.ts'
import { shopPlans } from './0052-plans.ts'
import { orderVisitors } from './0053-order-visitors.ts'
import { reconciliations } from './0054-reconciliations.ts'
import { taxInPrices } from './0055-tax-in-prices.ts'
import { redirectsByScript } from './0056-redirects-by-script.ts'
import { sharedLimits } from './0057-shared-limits.ts'
import { orderSums } from './0058-order-sums.ts'
import { listedFigures } from './0059-listed-figures.ts'

/** All migrations, in the order in which they run. Never edit one that has been released. */
export const migrations: readonly Migration[] = [
  core,
  events,
  changes,
  jobs,
  lifecycle,
  reporting,
  products,
  billing,
  brand,
  analytics,
  staff,
  admin,
  checks,
  priceRules,
  reportFigures,
  reportProducts,
  eventDays,
  plansAndRenewals,
  whatFilesTell,
  pauses,
  leftovers,
  expectedVisitors,
  listFigures,
  productPictures,
  winnersOff,
  apiHours,
  pictures,
  choicePictures,
  rulesBefore,
  leasedJobs,
  networks,
  sessions,
  priceChecks,
  erasures,
  shoppers,
  channelsOfEvents,
  secondFactor,
  consentRule,
  erasureKey,
  lastSave,
  networkMeetings,
  asideByDecision,
  networkDays,
  networkGroups,
  limitsAndReturns,
  leads,
  scriptSwitch,
  platformTokens,
  downloadLinks,
  shopPlans,
  orderVisitors,
  reconciliations,
  taxInPrices,
  redirectsByScript,
  sharedLimits,
  orderSums,
  listedFigures,
]
