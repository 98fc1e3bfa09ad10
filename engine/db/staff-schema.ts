import type { Generated } from 'kysely'

/** Tables of migration 0011. */
export type StaffSchema = {
  staff_users: StaffUsersTable
  staff_sessions: { token_hash: string; user_id: string; seen_at: Date; expires_at: Date }
  /** By which a password is set, once. */
  staff_links: { token_hash: string; user_id: string; expires_at: Date }
  /** How often something was tried until then (staff-attempts.ts). */
  staff_attempts: { key: string; count: number; until: Date }
  staff_acts: StaffActsTable
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
