import type { Migration } from '../migrate.ts'

/**
 * Background jobs of all stores. `run_at` follows the product's clock. A lease follows the
 * database's clock, because it coordinates processes.
 */
export const jobs: Migration = {
  name: '0004-jobs',
  statements: [
    `create table jobs (
      store_id uuid not null references stores on delete cascade,
      job_id uuid not null,
      kind text not null,
      key text,
      payload jsonb not null,
      state jsonb not null,
      status text not null default 'queued',
      progress float8 not null default 0,
      message text,
      run_at timestamptz not null,
      rerun_at timestamptz,
      attempts int not null default 0,
      starts int not null default 0,
      leased_until timestamptz not null default '-infinity',
      lease uuid,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (store_id, job_id))`,
    `create unique index jobs_by_key on jobs (store_id, key) where status not in ('completed', 'errored')`,
    `create index jobs_due on jobs (run_at) where status not in ('completed', 'errored')`,
    `create index jobs_finished on jobs (updated_at) where status in ('completed', 'errored')`,
    // Deliveries are kept for thirty days, which is longer than a platform retries one.
    'create index webhook_deliveries_by_time on webhook_deliveries (received_at)',
  ],
}
