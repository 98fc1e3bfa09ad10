import type { Migration } from '../migrate.ts'

/**
 * What the script must remove from screens after a test was deleted (script-tests.ts), until no
 * browser can still have it.
 */
export const leftovers: Migration = {
  name: '0021-leftovers',
  statements: [
    `create table script_leftovers (
      store_id uuid not null references stores on delete cascade,
      test_id uuid not null,
      script jsonb not null,
      until timestamptz not null,
      primary key (store_id, test_id))`,
  ],
}
