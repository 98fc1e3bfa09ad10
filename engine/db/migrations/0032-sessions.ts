import type { Migration } from '../migrate.ts'

/**
 * Lets us end sign-ins: all sign-ins of a store at once, and all that came from one sign-in when a
 * used token is presented again.
 */
export const sessions: Migration = {
  name: '0032-sessions',
  statements: [
    'alter table stores add column session_number int not null default 0',
    'alter table refresh_tokens add column family_id text',
  ],
}
