import type { Generated } from 'kysely'

/** Tables of migrations 0011 and 0037. */
export type StaffSchema = {
  staff_users: StaffUsersTable
  staff_sessions: StaffSessionsTable
  /** Each good once. */
  staff_recovery_codes: { code_hash: string; user_id: string }
  /** By which a password is set, once. */
  staff_links: { token_hash: string; user_id: string; expires_at: Date }
  /** How often something was tried until then, and from when on it may be again (staff-attempts.ts, staff-guesses.ts). */
  staff_attempts: { key: string; count: number; until: Date; free_at: Generated<Date | null> }
  staff_acts: StaffActsTable
}

export type StaffSessionsTable = {
  token_hash: string
  user_id: string
  seen_at: Date
  expires_at: Date
  /** By which it is named in lists. */
  session_id: Generated<string>
  started_at: Generated<Date>
  /** What its sign-in still needs before it opens anything. */
  needs: Generated<'code' | 'set-up' | null>
  /** Of a second factor that is being set up, sealed. */
  pending_secret: Generated<Buffer | null>
  /** "Firefox 125 on Linux". */
  browser: Generated<string>
  /** The /24 or /48 that it began in. */
  network: Generated<string>
}

export type StaffUsersTable = {
  user_id: string
  /** In lower case. */
  email: string
  name: string
  /** Null until the invitation was followed. */
  password_hash: string | null
  disabled: Generated<boolean>
  created_at: Date
  last_sign_in_at: Date | null
  /** Of the second factor, sealed; null without one. */
  totp_secret: Generated<Buffer | null>
  /** The last step whose code was taken. */
  totp_step: Generated<number>
}

export type StaffActsTable = {
  seq: Generated<number>
  at: Date
  /** Null: the system itself, or somebody who has yet to sign in. */
  user_id: string | null
  act: string
  about: string | null
  detail: string | null
}
