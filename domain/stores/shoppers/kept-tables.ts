import { shopperTables } from './shopper-tables.ts'
import { hour } from '../../time-units.ts'

/**
 * What happens to each table of the database after a shop has left (decision 046). When you add a
 * table, decide here; test/engine/stores/shoppers/store-erasure.test.ts fails for a missing one.
 * `erased`: the store's rows are deleted 48 hours after the uninstall. `cleared`: the rows stay
 * (`where`, in SQL, selects them), but these columns, or parts of a column
 * ("summary.charges.latest"), are removed. `kept`: the rows stay, because they name no person and
 * contain no key. `own`:
 * the table belongs to the product, not to a store.
 */
export type AfterUninstall = 'erased' | 'kept' | 'own' | Cleared
export type Cleared = { cleared: readonly string[]; where?: string }

/**
 * Time between an uninstall and the erasure of the store's data. A merchant who comes back within
 * it finds everything unchanged. Milliseconds.
 */
export const erasureWait = 48 * hour

const shoppers = Object.fromEntries(
  Object.keys(shopperTables).map(table => [table, 'erased' as const]),
)
/** Counts by day that mean nothing without the erased rows. */
const counts = { network_days: 'erased', page_days_built: 'erased' } as const

const contactsAndTokens = {
  leads: 'erased',
  refresh_tokens: 'erased',
  platform_tokens: 'erased',
  download_links: 'erased',
  analytics_settings: 'erased',
  subscription_asks: 'erased',
  stores: { cleared: ['email', 'phone'] },
} as const

/**
 * Pictures may show people, so they are erased. Pictures of the shop's pages are drawn again when
 * they are needed.
 */
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
  // Codes are hashed.
  discount_tries: 'kept',
  journal_turns: 'kept',
  test_history: 'kept',
  // The hold cause of a test may name an order. An import cannot be continued without its visitors,
  // so its row is erased.
  tests: { cleared: ['hold_cause'] },
  test_events: { cleared: ['detail'], where: "kind = 'Paused'" },
  test_imports: 'erased',
  test_days: 'kept',
  test_arms: 'kept',
  test_cube: 'kept',
  test_cube_orders: 'kept',
  test_order_sums: 'kept',
  test_order_states: 'kept',
  test_order_titles: 'erased',
  test_speed: 'kept',
  test_product_visitors: 'kept',
  test_product_orders: 'kept',
  test_summaries: { cleared: ['summary.charges.latest'] },
  test_changes: 'kept',
  store_periods: 'kept',
  event_days: 'kept',
  rebuilds_due: 'kept',
} as const

/**
 * What we need to recognise a shop that comes back and to restore it. Jobs and deliveries are
 * deleted after 30 days in any case.
 */
const history = {
  journal: 'kept',
  journal_plans: 'kept',
  subscriptions: 'kept',
  trial_extensions: 'kept',
  uninstalls: 'kept',
  erasures: 'kept',
  store_sign_ins: 'kept',
  script_checks: 'kept',
  webhook_deliveries: 'kept',
  jobs: 'kept',
  reconciliations: 'kept',
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
  used_id_tokens: 'own',
  shop_rates: 'own',
  rate_limits: 'own',
} as const

/**
 * Tables of a test whose rows stay but may name an order. They are also cleared when the test's
 * visitors are deleted.
 */
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

/**
 * The name of the whole table for one of its partitions: `events` has one per day
 * (engine/events/event-days.ts).
 */
export const wholeTable = (name: string): string => name.replace(/^events_(\d{8}|other)$/, 'events')
