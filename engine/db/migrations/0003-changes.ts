import type { Migration } from '../migrate.ts'

/** Tables whose rows are on the screens that are asked for most. */
const watched = ['stores', 'drafts', 'tests', 'test_summaries']

/**
 * Says which store a write belongs to, whoever made it, once it is committed: answers that are kept in memory are
 * dropped by that (answers.ts). Postgres sends each store once a transaction.
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
