import type { Migration } from '../migrate.ts'

/**
 * The second factor of staff, the list of their sessions, and how long someone who guesses must
 * wait.
 */
export const secondFactor: Migration = {
  name: '0037-second-factor',
  statements: [
    // The secret is sealed. `totp_step` is the last step whose code was accepted, so that no code
    // works twice.
    `alter table staff_users add column totp_secret bytea, add column totp_step bigint not null default 0`,
    `create table staff_recovery_codes (
      code_hash text primary key,
      user_id uuid not null references staff_users on delete cascade)`,
    'create index staff_recovery_codes_of on staff_recovery_codes (user_id)',
    // `needs` is set while a sign-in is not finished. `pending_secret` is the sealed secret of a
    // second factor during its setup.
    `alter table staff_sessions add column session_id uuid not null default gen_random_uuid(),
      add column started_at timestamptz not null default now(),
      add column needs text check (needs in ('code', 'set-up')),
      add column pending_secret bytea,
      add column browser text not null default '',
      add column network text not null default ''`,
    'create unique index staff_sessions_id on staff_sessions (session_id)',
    'alter table staff_attempts add column free_at timestamptz',
  ],
}
