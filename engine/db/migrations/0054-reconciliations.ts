import type { Migration } from '../migrate.ts'

/** What the nightly comparison with the platform found for each store, and how far it has read. */
export const reconciliations: Migration = {
  name: '0054-reconciliations',
  statements: [
    // `read_until`: changes of orders before it were read. `refused_at`: since when the platform
    // refuses us. `found`: counts of the last run, `total`: of all runs. `capabilities`: what the
    // platform said last.
    `create table reconciliations (
      store_id uuid primary key,
      ran_at timestamptz,
      read_until timestamptz,
      refused_at timestamptz,
      capabilities jsonb,
      found jsonb not null default '{}',
      total jsonb not null default '{}')`,
  ],
}
