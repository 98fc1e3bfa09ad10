import type { Migration } from '../migrate.ts'

/** Sign-ins that can be ended: a store's all at once, and those that came of one sign-in when a used-up token comes back. */
export const sessions: Migration = {
  name: '0032-sessions',
  statements: [
    'alter table stores add column session_number int not null default 0',
    'alter table refresh_tokens add column family_id text',
  ],
}
