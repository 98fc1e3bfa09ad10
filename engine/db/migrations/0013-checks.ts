import type { Migration } from '../migrate.ts'

/** What a browser found when it checked a draft before its launch. */
export const checks: Migration = {
  name: '0013-checks',
  statements: [
    // One row per draft, the last check. `content` is a hash of the checked parts of the draft:
    // when the draft's hash differs now, the check is stale.
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
