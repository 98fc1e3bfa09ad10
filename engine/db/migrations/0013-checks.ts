import type { Migration } from '../migrate.ts'

/** What a browser found of a draft before its launch. */
export const checks: Migration = {
  name: '0013-checks',
  statements: [
    // One per draft, the last. `content` is a hash of what of the draft was looked at: another one now, and it is stale.
    `create table launch_checks (
      store_id uuid not null,
      draft_id uuid not null,
      content text not null,
      checks jsonb not null,
      checked_at timestamptz not null,
      primary key (store_id, draft_id),
      foreign key (store_id, draft_id) references drafts on delete cascade)`,
  ],
}
