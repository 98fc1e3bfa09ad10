import type { Migration } from '../migrate.ts'

/**
 * The erasure of personal data, and tests whose figures are final because their visitors were
 * erased.
 */
export const erasures: Migration = {
  name: '0034-erasures',
  statements: [
    // The test's visitors and orders are gone, so it is never summed up or rebuilt from the
    // remaining ones.
    'alter table tests add column settled_at timestamptz',
    // When the personal data was erased after an uninstall.
    'alter table stores add column erased_at timestamptz',
    // The log of erasures, which names no person. Counts: rows by table.
    `create table erasures (
      store_id uuid not null references stores on delete cascade,
      erasure_id uuid not null,
      kind text not null,
      asked_by text not null,
      asked_at timestamptz not null,
      done_at timestamptz,
      counts jsonb not null default '{}',
      primary key (store_id, erasure_id))`,
    // Stores that were uninstalled before this migration.
    `insert into jobs (store_id, job_id, kind, key, payload, state, run_at, created_at, updated_at)
      select store_id, gen_random_uuid(), 'storeErasure', 'storeErasure', '{}', '{}', updated_at + interval '48 hours', updated_at, updated_at from stores where status = 'uninstalled'`,
  ],
}
