import type { Migration } from '../migrate.ts'

/**
 * What the processes on one database share (decision 091): counts of limits, tries of discount
 * codes, and whose turn it is to change a shop. A crash of the server may empty `rate_limits`.
 */
export const sharedLimits: Migration = {
  name: '0057-shared-limits',
  statements: [
    'create unlogged table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)',
    `create table discount_tries (
      store_id uuid primary key references stores (store_id) on delete cascade,
      tries jsonb not null
    )`,
    `create table journal_turns (
      store_id uuid primary key references stores (store_id) on delete cascade,
      holder uuid not null,
      ends_at timestamptz not null
    )`,
  ],
}
