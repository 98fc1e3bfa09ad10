import type { Migration } from '../migrate.ts'

/**
 * Where a shop does not redirect addresses of pages, our script makes the winner of a redirect test
 * permanent (decision 088).
 */
export const redirectsByScript: Migration = {
  name: '0056-redirects-by-script',
  statements: [
    'alter table tests add column sends_by_script boolean not null default false',
    'drop index tests_script_winners',
    `create index tests_script_winners on tests (store_id, applied_at) where (kind = 'PageElement' or sends_by_script) and applied_arm = 'variant'`,
  ],
}
