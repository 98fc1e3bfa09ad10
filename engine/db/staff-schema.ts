import type { Generated } from 'kysely'

/** Tables of migrations 0011 and 0037. */
export type StaffSchema = {
  staff_users: StaffUsersTable
  staff_sessions: StaffSessionsTable
  /** Each code works once. */
  staff_recovery_codes: { code_hash: string; user_id: string }
  /** Links to set a password, each once. */
  staff_links: { token_hash: string; user_id: string; expires_at: Date }
  /**
   * How often something was tried in a span that ends at `until`, and from when (`free_at`) it may
   * be tried again (staff-attempts.ts, staff-guesses.ts).
   */
  staff_attempts: { key: string; count: number; until: Date; free_at: Generated<Date | null> }
  staff_acts: StaffActsTable
}

export type StaffSessionsTable = {
  token_hash: string
  user_id: string
  seen_at: Date
  expires_at: Date
  /** Identifies the session in lists. */
  session_id: Generated<string>
  started_at: Generated<Date>
  /**
   * The step that the sign-in still needs before the session opens anything. Null when it is
   * complete.
   */
  needs: Generated<'code' | 'set-up' | null>
  /** The sealed secret of a second factor during its setup. */
  pending_secret: Generated<Buffer | null>
  /** "Firefox 125 on Linux". */
  browser: Generated<string>
  /** The /24 or /48 network in which the session began. */
  network: Generated<string>
}

export type StaffUsersTable = {
  user_id: string
  /** In lower case. */
  email: string
  name: string
  /** Null until the member of staff follows the invitation. */
  password_hash: string | null
  disabled: Generated<boolean>
  created_at: Date
  last_sign_in_at: Date | null
  /** The sealed secret of the second factor. Null without one. */
  totp_secret: Generated<Buffer | null>
  /** The last time step whose code was accepted. */
  totp_step: Generated<number>
}

export type StaffActsTable = {
  seq: Generated<number>
  at: Date
  /** Null: the system itself, or a person who is not signed in yet. */
  user_id: string | null
  act: string
  about: string | null
  detail: string | null
}
