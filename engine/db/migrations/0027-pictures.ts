import type { Migration } from '../migrate.ts'

/**
 * Pictures that merchants upload for their variants, as we publish them. We keep them, because a
 * picture that was removed from the shop may be shown again.
 */
export const pictures: Migration = {
  name: '0027-pictures',
  statements: [
    `create table pictures (
      store_id uuid not null references stores on delete cascade,
      name text not null,
      type text not null,
      body bytea not null,
      bytes integer not null,
      created_at timestamptz not null,
      primary key (store_id, name))`,
  ],
}
