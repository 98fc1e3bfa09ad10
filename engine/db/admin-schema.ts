import type { ScriptFinding } from '../../domain/staff/staff-health.ts'

/** Tables of migration 0012. */
export type AdminSchema = {
  trial_extensions: TrialExtensionsTable
  script_checks: { store_id: string; finding: ScriptFinding; checked_at: Date }
  store_sign_ins: { store_id: string; at: Date }
  event_days: { store_id: string; day: string; events: number }
  earnings_months: EarningsMonthsTable
  earnings: EarningsTable
}

export type TrialExtensionsTable = {
  store_id: string
  /** The end of the trial before it was moved. */
  trial_end: Date
  days: number
  user_id: string
  asked_at: Date
  /** Null while we wait for the platform's answer. */
  done_at: Date | null
}

export type EarningsMonthsTable = {
  month: string
  file_name: string
  uploaded_at: Date
  user_id: string
}

/** Cents of US dollars. */
export type EarningsTable = {
  month: string
  shop: string
  plan_id: string
  gross: number
  fee: number
  net: number
}
