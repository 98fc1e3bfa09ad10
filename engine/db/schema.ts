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
import type { StaffSchema } from './staff-schema.ts'

/** Every table. Each key starts with the store, so that the data can be sharded on it; `plans`, `discount_codes`, `migrations`, earnings and staff’s are the product's own. */
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
  StaffSchema

/** jsonb: read as the value, written as JSON text (both drivers agree on that, and on nothing else). */
export type Json<T> = ColumnType<T, string, string>

type CoreSchema = {
  stores: StoresTable
  plans: PlansTable
  refresh_tokens: RefreshTokensTable
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
  /** The platform's name of the shop; a store that was given another of its own keeps that. */
  shop_name: Generated<string | null>
  /** Of the last install: an uninstall told about later but done before says nothing of it. */
  installed_at: Generated<Date | null>
  /** Sign-ins that carry a lower one have been ended. */
  session_number: Generated<number>
  consent_rule: Generated<ConsentRule>
  /** Sealed; null before the first erasure of an order. */
  erasure_key: Generated<Uint8Array | null>
  /** When what was known of people was erased after an uninstall. */
  erased_at: Generated<Date | null>
  onboarding_started_at: Generated<Date | null>
  /** When the checklist of first steps was put away. */
  checklist_dismissed_at: Generated<Date | null>
  /** The platform's subscription that the columns above follow. */
  subscription_id: Generated<string | null>
  /** When that was asked for, by the database's time: an older answer arriving late changes nothing. */
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
  /** The sign-in that it came of, through as many renewals as there were; null for those of before. */
  family_id: Generated<string | null>
  /** Set at rotation: from this instant the token is refused. */
  expires_at: Date
  rotated: Generated<boolean>
}

/** What a draft and a test say alike. */
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
    /** The draft it was launched from: launching twice finds the first test. */
    draft_id: string
    status: TestStatus
    /** Tested pages as URL patterns. */
    pages: Json<string[]>
    start_at: Date | null
    ends_at: Date | null
    ended_at: Date | null
    applied_at: Date | null
    /** Since when an applied winner that needs our script is off. */
    winner_off_at: Generated<Date | null>
    /** Since when its visitors and orders are gone: its figures stay as they were summed up. */
    settled_at: Generated<Date | null>
    planned_visitors: number
    /** What the plan would have wanted, had the traffic sufficed. */
    needed_visitors: Generated<number | null>
    is_demo: Generated<boolean>
    /** Imported from a file of a past experiment (imports.ts). */
    is_imported: Generated<boolean>
    /** What of its visitors the file does not say. */
    not_in_file: ColumnType<ImportFact[], string | undefined, string>
    /** The verdict that was reached first; never taken again. */
    verdict_kind: Verdict['kind'] | null
    verdict_at: Date | null
    verdict_lift: number | null
    verdict_chance: number | null
  }

/** Every status a test has had, oldest first by `seq`. Its Active spans are when exposures count. */
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
  /** Names what may happen only once ("Visitors 1000"); a second insert with the same mark conflicts. */
  mark: string | null
}

/** One row per store: the script as it stands, and the outbox of its next publication (wanted > published). */
export type PublishedScriptsTable = {
  store_id: string
  wanted: number
  published: Generated<number>
  attempts: Generated<number>
  next_attempt_at: Date
  /** While ahead of now, one process is publishing this store's script. */
  leased_until: Generated<Date>
  /** Hash of the runtime the script was built from: a new release publishes again. */
  runtime: string | null
  last_error: string | null
  /** What the shop charges for price tests by, as it was last told. */
  price_rules: ColumnType<PriceRuleSet[], string | undefined, string>
  body: Uint8Array | null
  gzip: Uint8Array | null
  brotli: Uint8Array | null
  etag: string | null
  url: string | null
  published_at: Date | null
}
