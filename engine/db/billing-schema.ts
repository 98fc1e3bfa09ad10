import type { Generated } from 'kysely'
import type { DiscountCheck } from '../../domain/plans/discount.ts'
import type { SubscriptionStatus } from '../../domain/stores/store.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0008. */
export type BillingSchema = {
  discount_codes: DiscountCodesTable
  subscriptions: SubscriptionsTable
  subscription_asks: SubscriptionAsksTable
  leads: LeadsTable
  uninstalls: UninstallsTable
}

/** The product's own, the same for all stores; the code in upper case. */
export type DiscountCodesTable = {
  code: string
  value_type: DiscountCheck['valueType']
  /** Percents, or whole dollars a billing period. */
  value: number
  /** Null: for all plans. */
  plan_id: string | null
  expires_at: Date | null
  /** Stores that may use it; null for any number. */
  max_stores: number | null
  created_at: Date
}

/** Every subscription the platform has told about; `discount_code` is ours. */
export type SubscriptionsTable = {
  store_id: string
  subscription_id: string
  plan_id: string
  status: SubscriptionStatus
  discount_code: Generated<string | null>
  trial_ends_at: Date | null
  /** Null as long as it has never been active. */
  current_period_ends_at: Date | null
  created_at: Date
  updated_at: Date
}

/** The subscription a store asked for last, so that asking again within a moment is answered the same. */
export type SubscriptionAsksTable = {
  store_id: string
  plan_id: string
  discount_code: string | null
  asked_at: Date
  /** Null while the platform is being asked. */
  confirmation_url: string | null
}

export type LeadsTable = {
  store_id: string
  lead_id: string
  first_name: Generated<string>
  last_name: Generated<string>
  email: Generated<string | null>
  created_at: Date
  updated_at: Date
}

export type UninstallsTable = {
  store_id: string
  /** The job's, or one of its own when the platform did it. */
  uninstall_id: string
  /** Null when the platform did it. */
  category: string | null
  reason: string | null
  requested_at: Date
  finished_at: Date | null
  /** What stays in the shop, in words. */
  kept: Json<string[]>
}
