import type { Migration } from '../migrate.ts'

/** Of tests that were deleted, what the script is to take off screens again (script-tests.ts), until no browser can have it any more. */
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
