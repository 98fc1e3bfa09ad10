import type { Migration } from '../migrate.ts'

/** The tables behind the screens that are requested most often. */
const watched = ['stores', 'drafts', 'tests', 'test_summaries']

/**
 * Notifies, after each commit, which store was written to, by any writer. Cached answers of that
 * store are then dropped (answers.ts). Postgres sends each store once per transaction.
 */
export const changes: Migration = {
  name: '0003-changes',
  statements: [
    `create function store_changed() returns trigger language plpgsql as $$
      begin perform pg_notify('store_changed', coalesce(new.store_id, old.store_id)::text); return null; end $$`,
    ...watched.map(
      table =>
        `create trigger ${table}_changed after insert or update or delete on ${table} for each row execute function store_changed()`,
    ),
  ],
}
