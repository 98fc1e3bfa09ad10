import type { Migration } from '../migrate.ts'

const stoodStill = `h.status in ('Paused', 'OnHold', 'Suspended')`

export const pauses: Migration = {
  name: '0020-pauses',
  statements: [
    // The part of a session (stand-still.ts): an instant in milliseconds since 1970, 0 before any
    // test of the store was ever paused or held.
    'alter table visitor_sessions add column part bigint not null default 0',
    'alter table visitor_sessions drop constraint visitor_sessions_pkey',
    'alter table visitor_sessions add primary key (store_id, visitor_id, session_id, part)',
    // Events and orders from while a test was not running no longer count. So counts are made again
    // from the events, and summaries from the orders.
    `insert into rebuilds_due select store_id from stores s where exists (select from events e where e.store_id = s.store_id)
      and exists (select from test_history h where h.store_id = s.store_id and ${stoodStill}) on conflict do nothing`,
    `delete from test_summaries s where exists (select from test_history h where h.store_id = s.store_id and h.test_id = s.test_id and ${stoodStill})`,
  ],
}
