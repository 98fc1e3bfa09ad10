import type { Generated } from 'kysely'
import type { DiscountCheck } from '../../domain/plans/discount.ts'
import type { LeadVia } from '../../domain/plans/lead.ts'
import type { LeadState } from '../../domain/staff/staff-leads.ts'
import type { SubscriptionStatus } from '../../domain/stores/store.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0008, 0046 and 0057. */
export type BillingSchema = {
  discount_codes: DiscountCodesTable
  discount_tries: DiscountTriesTable
  subscriptions: SubscriptionsTable
  subscription_asks: SubscriptionAsksTable
  leads: LeadsTable
  uninstalls: UninstallsTable
}

/** Discount codes of the product, the same for all stores. The code is in upper case. */
export type DiscountCodesTable = {
  code: string
  value_type: DiscountCheck['valueType']
  /** A percentage, or whole dollars per billing period. */
  value: number
  /** Null: for all plans. */
  plan_id: string | null
  expires_at: Date | null
  /** How many stores may use it; null for any number. */
  max_stores: number | null
  created_at: Date
}

/** The discount codes that a store has tried (domain/plans/code-tries.ts). */
export type DiscountTriesTable = { store_id: string; tries: Json<object> }

/** Every subscription that the platform has reported. `discount_code` is our own column. */
export type SubscriptionsTable = {
  store_id: string
  subscription_id: string
  plan_id: string
  status: SubscriptionStatus
  discount_code: Generated<string | null>
  trial_ends_at: Date | null
  /** Null until the subscription is active for the first time. */
  current_period_ends_at: Date | null
  created_at: Date
  updated_at: Date
}

/**
 * The subscription that a store asked for last. When it asks again within a moment, it gets the
 * same answer.
 */
export type SubscriptionAsksTable = {
  store_id: string
  plan_id: string
  discount_code: string | null
  /** Where the merchant returns to. Null for requests of earlier versions. */
  return_path: string | null
  asked_at: Date
  /** Null while we wait for the platform's answer. */
  confirmation_url: string | null
}

export type LeadsTable = {
  store_id: string
  lead_id: string
  first_name: Generated<string>
  last_name: Generated<string>
  /** Null until the merchant has sent the form, or is shown the scheduler. */
  email: Generated<string | null>
  created_at: Date
  /** When the merchant sent or changed it last. */
  updated_at: Date
  via: Generated<LeadVia>
  state: Generated<LeadState>
  note: Generated<string>
  /** The last change by staff; without `changed_by`, the merchant has reopened it. */
  changed_at: Generated<Date | null>
  changed_by: Generated<string | null>
  mailed_at: Generated<Date | null>
}

export type UninstallsTable = {
  store_id: string
  /** The id of the job, or a new id when the platform uninstalled the app. */
  uninstall_id: string
  /** Null when the platform uninstalled the app. */
  category: string | null
  reason: string | null
  requested_at: Date
  finished_at: Date | null
  /** Texts that say what stays in the shop. */
  kept: Json<string[]>
}
