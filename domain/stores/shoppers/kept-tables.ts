import { shopperTables } from './shopper-tables.ts'
import { hour } from '../../time-units.ts'

/**
 * What becomes of each table of the database when a shop has left (decision 046). A table that is missing here fails
 * test/engine/stores/shoppers/store-erasure.test.ts: whoever adds one decides. `erased`: the store's rows go 48 hours after the
 * uninstall. `cleared`: the rows stay without these columns, or parts of one ("summary.charges.latest"),
 * (those of `where`, in SQL). `kept`: the rows stay, for they name nobody and hold no
 * key. `own`: the product's own, of no store.
 */
export type AfterUninstall = 'erased' | 'kept' | 'own' | Cleared
export type Cleared = { cleared: readonly string[]; where?: string }

/** After an uninstall, before a store's data is erased; coming back within it, the merchant finds all as it was. Milliseconds. */
export const erasureWait = 48 * hour

const shoppers = Object.fromEntries(
  Object.keys(shopperTables).map(table => [table, 'erased' as const]),
)
/** Counts by day that say nothing without what is erased. */
const counts = { network_days: 'erased', page_days_built: 'erased' } as const

const contactsAndTokens = {
  leads: 'erased',
  refresh_tokens: 'erased',
  analytics_settings: 'erased',
  subscription_asks: 'erased',
  stores: { cleared: ['email', 'phone'] },
} as const

/** Nobody can know who is to be seen in them. Those of the shop's pages are drawn again when they are wanted. */
const pictures = { pictures: 'erased', screenshots: 'erased', choice_pictures: 'erased' } as const

/** The merchant's own work, and figures that are sums. */
const work = {
  drafts: 'kept',
  audiences: 'kept',
  brand_styles: 'kept',
  launch_checks: 'kept',
  test_products: 'kept',
  product_titles: 'kept',
  template_copies: 'kept',
  theme_checks: 'kept',
  script_leftovers: 'kept',
  published_scripts: 'kept',
  test_history: 'kept',
  // Why a test was held may name an order; an import cannot continue without its visitors.
  tests: { cleared: ['hold_cause'] },
  test_events: { cleared: ['detail'], where: "kind = 'Paused'" },
  test_imports: 'erased',
  test_days: 'kept',
  test_arms: 'kept',
  test_cube: 'kept',
  test_cube_orders: 'kept',
  test_speed: 'kept',
  test_product_visitors: 'kept',
  test_product_orders: 'kept',
  test_summaries: { cleared: ['summary.charges.latest'] },
  test_changes: 'kept',
  store_periods: 'kept',
  event_days: 'kept',
  rebuilds_due: 'kept',
} as const

/** By which a shop that comes back is known, and can be put back as it was. Jobs and deliveries go after 30 days in any case. */
const history = {
  journal: 'kept',
  subscriptions: 'kept',
  trial_extensions: 'kept',
  uninstalls: 'kept',
  erasures: 'kept',
  store_sign_ins: 'kept',
  script_checks: 'kept',
  webhook_deliveries: 'kept',
  jobs: 'kept',
} as const

const own = {
  plans: 'own',
  discount_codes: 'own',
  migrations: 'own',
  events_kept: 'own',
  api_hours: 'own',
  earnings: 'own',
  earnings_months: 'own',
  staff_users: 'own',
  staff_sessions: 'own',
  staff_links: 'own',
  staff_attempts: 'own',
  staff_acts: 'own',
  staff_recovery_codes: 'own',
} as const

/** Those of a test that stay and may name an order: cleared when the test's visitors go, too. */
export const namingTables = {
  tests: work.tests,
  test_events: work.test_events,
  test_summaries: work.test_summaries,
} satisfies Record<string, Cleared>

export const keptTables: Readonly<Record<string, AfterUninstall>> = {
  ...shoppers,
  ...counts,
  ...contactsAndTokens,
  ...pictures,
  ...work,
  ...history,
  ...own,
}

/** The table that a part of another belongs to: events are kept by day (engine/events/event-days.ts). */
export const wholeTable = (name: string): string => name.replace(/^events_(\d{8}|other)$/, 'events')
