import type { Generated } from 'kysely'
import type { Json } from './schema.ts'

/** Tables of migration 0010. */
export type AnalyticsSchema = { analytics_settings: AnalyticsSettingsTable }

export type AnalyticsSettingsTable = {
  store_id: string
  refresh_token: Uint8Array | null
  access_token: Uint8Array | null
  access_expires_at: Date | null
  account_id: string | null
  property_id: string | null
  measurement_ids: Json<string[]>
  /** The Google Analytics stream that receives the exposures, and its secret. */
  measurement_id: string | null
  api_secret: Uint8Array | null
  enabled: Generated<boolean>
  /** events.seq of the last exposure of the store that Google has accepted. */
  sent_to: Generated<number>
  attempts: Generated<number>
  next_attempt_at: Generated<Date>
  /** While this is in the future, one process is sending this store's exposures. */
  leased_until: Generated<Date>
  last_error: string | null
  connected_at: Date
}
