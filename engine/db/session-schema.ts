import type { Generated } from 'kysely'

/** Tables of migration 0049. */
export type SessionSchema = {
  platform_tokens: PlatformTokensTable
  used_id_tokens: { platform: string; token_hash: string; expires_at: Date }
}

/** Our tokens for calls about a shop, sealed (session/seal.ts). */
export type PlatformTokensTable = {
  store_id: string
  access_token: Uint8Array | null
  /** Null when the token does not expire. */
  access_expires_at: Date | null
  refresh_token: Uint8Array | null
  refresh_expires_at: Date | null
  /** How often tokens were stored. 0: never yet. */
  version: Generated<number>
  /** Since when the platform refuses our tokens; null while it accepts them. */
  needs_sign_in_at: Date | null
  /** Whether the platform has said that the app is not installed any more. */
  is_removed: Generated<boolean>
  lease_id: string | null
  leased_until: Generated<Date>
  updated_at: Date
}
