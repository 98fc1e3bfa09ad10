import type { ColumnType, Generated } from 'kysely'
import type { ConsentRule } from '../../domain/events/consent.ts'
import type { DomSelector } from '../../domain/drafts/dom-selector.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { PerArm } from '../../domain/arm.ts'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { TestEvent } from '../../domain/tests/ab-test.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { LastSave } from '../../domain/drafts/draft-update.ts'
import type { Verdict } from '../../domain/reports/summary.ts'
import type { AdminSchema } from './admin-schema.ts'
import type { AnalyticsSchema } from './analytics-schema.ts'
import type { BillingSchema } from './billing-schema.ts'
import type { BrandSchema } from './brand-schema.ts'
import type { ChecksSchema } from './checks-schema.ts'
import type { EventsSchema } from './events-schema.ts'
import type { JobsSchema } from './jobs-schema.ts'
import type {
  DraftColumns,
  LifecycleSchema,
  TargetColumns,
  TestColumns,
} from './lifecycle-schema.ts'
import type { PrivacySchema } from './privacy-schema.ts'
import type { ProductsSchema } from './products-schema.ts'
import type { ReportingSchema } from './reporting-schema.ts'
import type { SessionSchema } from './session-schema.ts'
import type { StaffSchema } from './staff-schema.ts'

/**
 * All tables. Each primary key starts with the store, so that the data can be sharded by it.
 * Exceptions are tables of the product itself: `plans`, `discount_codes`, `migrations`, the
 * earnings and the staff’s tables.
 */
export type Schema = CoreSchema &
  AdminSchema &
  EventsSchema &
  AnalyticsSchema &
  BillingSchema &
  BrandSchema &
  ChecksSchema &
  JobsSchema &
  LifecycleSchema &
  PrivacySchema &
  ProductsSchema &
  ReportingSchema &
  SessionSchema &
  StaffSchema

/**
 * A jsonb column: read as the value, written as JSON text. This is the only form on which both
 * drivers agree.
 */
export type Json<T> = ColumnType<T, string, string>

type CoreSchema = {
  stores: StoresTable
  plans: PlansTable
  refresh_tokens: RefreshTokensTable
  download_links: DownloadLinksTable
  drafts: DraftsTable
  tests: TestsTable
  test_history: TestHistoryTable
  test_events: TestEventsTable
  published_scripts: PublishedScriptsTable
}

export type StoresTable = {
  store_id: string
  platform: string
  shop: string
  domain: string
  /** Origin of the public storefront, as browsers send it. */
  origin: string
  name: string
  currency: string
  time_zone: string
  email: string | null
  phone: string | null
  theme_id: string | null
  industry: string | null
  team_size: string | null
  testing_experience: string | null
  source: string | null
  onboarded: boolean
  reinstall: Generated<boolean>
  has_subscribed: boolean
  status: StoreInfo['status']
  plan_id: string | null
  pending_plan: string | null
  trial: boolean
  segment_status: string | null
  subscription_status: StoreStatus['subscriptionStatus']
  current_subscription_end: Date | null
  next_bill: Date | null
  usage_reset: Date | null
  trial_end: Date | null
  /** Feature flags switched on for this store by staff. */
  feature_flags: Json<string[]>
  is_demo: Generated<boolean>
  /**
   * The shop's name on the platform. The column `name` follows it until the merchant renames the
   * store.
   */
  shop_name: Generated<string | null>
  /** Time of the last install. A late message about an uninstall before this time is ignored. */
  installed_at: Generated<Date | null>
  /** Sign-ins with a lower number than this one have been ended. */
  session_number: Generated<number>
  consent_rule: Generated<ConsentRule>
  /** Sealed. Null until the first order of the store is erased. */
  erasure_key: Generated<Uint8Array | null>
  /** When personal data was erased after an uninstall. */
  erased_at: Generated<Date | null>
  onboarding_started_at: Generated<Date | null>
  /** When the merchant dismissed the checklist of first steps. */
  checklist_dismissed_at: Generated<Date | null>
  /** Where the merchant turns on our script; null unless the live theme's pages do not load it. */
  script_switch_at: Generated<string | null>
  /** Id of the platform's subscription from which the columns above are filled. */
  subscription_id: Generated<string | null>
  /**
   * When that subscription was read, by the database's clock. An older answer that arrives late
   * changes nothing.
   */
  billing_read_at: Generated<Date | null>
  created_at: Date
  updated_at: Date
}

export type PlansTable = {
  plan_id: string
  level: number
  title: string
  monthly_visitors: number
  /** Whole US dollars per billing period. */
  price: number
  is_annual: boolean
  require_appointment: boolean
  available: boolean
}

export type RefreshTokensTable = {
  store_id: string
  token_hash: string
  /**
   * The sign-in from which the token comes, over all its renewals. Null for tokens from before
   * migration 0032.
   */
  family_id: Generated<string | null>
  /** Set at rotation: from this instant the token is refused. */
  expires_at: Date
  rotated: Generated<boolean>
  /** The platform's id of who signed in. Null for sessions from before migration 0049. */
  user_id: string | null
  /** When the session ends, however often it is renewed. */
  session_ends_at: Date | null
}

export type DownloadLinksTable = {
  store_id: string
  link_hash: string
  /** Path and query of the file. */
  path: string
  /** The access token, sealed with a key that is derived from the link itself. */
  sealed_token: Uint8Array
  expires_at: Date
}

/** The columns that drafts and tests share. */
type Content = TargetColumns & {
  kind: TestKind
  title: string
  hypothesis_description: string
  control_title: string
  variant_title: string
  goal: Goal
  weights: Json<PerArm<number>>
  minimum_effect: number
  control_url: string
  redirect_url: string
  dom_selectors: Json<DomSelector[]>
  control_hypothesis_id: string
  variant_hypothesis_id: string
  launch_at: Date | null
  automatically_end_at: Date | null
  created_at: Date
  updated_at: Date
}

export type DraftsTable = Content &
  DraftColumns & {
    store_id: string
    draft_id: string
    origin: TestDraft['origin']
    lift_assist_id: ColumnType<string | null, string | null | undefined>
    version: number
    variant_created_at: Date | null
    expected_visitors: number | null
    last_save: ColumnType<LastSave | null, string | null | undefined, string | null>
  }

export type TestsTable = Content &
  TestColumns & {
    store_id: string
    test_id: string
    /**
     * The draft from which the test was launched. Launching the same draft twice finds the first
     * test.
     */
    draft_id: string
    status: TestStatus
    /** Tested pages as URL patterns. */
    pages: Json<string[]>
    start_at: Date | null
    ends_at: Date | null
    ended_at: Date | null
    applied_at: Date | null
    /** When an applied winner that needs our script was switched off. */
    winner_off_at: Generated<Date | null>
    /** The applied variant of a redirect test: our script sends visitors on, not the shop. */
    sends_by_script: Generated<boolean>
    /** When the test's visitors and orders were deleted. Its figures no longer change. */
    settled_at: Generated<Date | null>
    planned_visitors: number
    /** The number of visitors that the sample plan needs, if the traffic were enough. */
    needed_visitors: Generated<number | null>
    is_demo: Generated<boolean>
    /** Imported from a file of a past experiment (imports.ts). */
    is_imported: Generated<boolean>
    /** Facts about the visitors that the file does not contain. */
    not_in_file: ColumnType<ImportFact[], string | undefined, string>
    /** Whether tax that prices include counts as revenue (order-amount.ts). */
    counts_tax: Generated<boolean>
    /** The first verdict that was reached. It is never withdrawn. */
    verdict_kind: Verdict['kind'] | null
    verdict_at: Date | null
    verdict_lift: number | null
    verdict_chance: number | null
  }

/** Every status that a test has had; `seq` gives the order. Exposures count while it is Active. */
export type TestHistoryTable = {
  store_id: string
  test_id: string
  seq: Generated<number>
  status: TestStatus
  applied_on: Date
}

export type TestEventsTable = {
  store_id: string
  test_id: string
  seq: Generated<number>
  kind: TestEvent['kind']
  at: Date
  detail: string | null
  value: number | null
  /**
   * Names an event that may be recorded only once ("Visitors 1000"). A second insert with the same
   * mark conflicts.
   */
  mark: string | null
}

/**
 * One row per store: the current script, and the outbox for its next publication (wanted >
 * published).
 */
export type PublishedScriptsTable = {
  store_id: string
  wanted: number
  published: Generated<number>
  attempts: Generated<number>
  next_attempt_at: Date
  /** While this is in the future, one process is publishing this store's script. */
  leased_until: Generated<Date>
  /** Hash of the runtime in this script. A new release of the runtime causes a new publication. */
  runtime: string | null
  last_error: string | null
  /** The price rules for price tests, as we last sent them to the shop. */
  price_rules: ColumnType<PriceRuleSet[], string | undefined, string>
  body: Uint8Array | null
  gzip: Uint8Array | null
  brotli: Uint8Array | null
  etag: string | null
  url: string | null
  published_at: Date | null
}
