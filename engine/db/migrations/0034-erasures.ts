import type { Migration } from '../migrate.ts'

/** What is erased of people, and tests whose figures stand for themselves since their visitors are gone. */
export const erasures: Migration = {
  name: '0034-erasures',
  statements: [
    // Its visitors and orders are gone: it is never summed up or made again from what is left of them.
    'alter table tests add column settled_at timestamptz',
    // When what was known of people was erased after an uninstall.
    'alter table stores add column erased_at timestamptz',
    // The log of it, which names nobody. Counts: rows by table.
    `create table erasures (
      store_id uuid not null references stores on delete cascade,
      erasure_id uuid not null,
      kind text not null,
      asked_by text not null,
      asked_at timestamptz not null,
      done_at timestamptz,
      counts jsonb not null default '{}',
      primary key (store_id, erasure_id))`,
    // Stores that left before this was so.
    `insert into jobs (store_id, job_id, kind, key, payload, state, run_at, created_at, updated_at)
      select store_id, gen_random_uuid(), 'storeErasure', 'storeErasure', '{}', '{}', updated_at + interval '48 hours', updated_at, updated_at from stores where status = 'uninstalled'`,
  ],
}
