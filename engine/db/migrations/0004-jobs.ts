import type { Migration } from '../migrate.ts'

/** Background jobs of every store. `run_at` is by the product's clock, a lease by the database's: it is about processes taking turns. */
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
    // Deliveries are kept for thirty days: as long as a platform may send one again, and more.
    'create index webhook_deliveries_by_time on webhook_deliveries (received_at)',
  ],
}
