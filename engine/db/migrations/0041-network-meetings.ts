import type { Migration } from '../migrate.ts'

/**
 * From which network a visitor met a test, for 48 hours, and how many a network brought to each arm (decision 041). A
 * visitor may be known of several networks: of that which the shop saw first, and of those a test was met from.
 */
export const networkMeetings: Migration = {
  name: '0041-network-meetings',
  statements: [
    'alter table network_visitors drop constraint network_visitors_pkey, add primary key (store_id, visitor_id, network)',
    `create table network_meetings (
      store_id uuid not null,
      test_id uuid not null,
      visitor_id text not null,
      network text not null,
      arm smallint not null,
      met_at timestamptz not null,
      primary key (store_id, test_id, visitor_id))`,
    // The latest of a store.
    'create index network_visitors_by_store on network_visitors (store_id, seen_at)',
    'create index network_meetings_by_time on network_meetings (met_at)',
    'create index network_meetings_by_visitor on network_meetings (store_id, visitor_id)',
    `create table network_arms (
      store_id uuid not null,
      test_id uuid not null,
      network text not null,
      hour timestamptz not null,
      control int not null,
      variant int not null,
      primary key (store_id, test_id, network, hour))`,
    'create index network_arms_by_time on network_arms (hour)',
    // The last 48 hours of one network.
    'create index network_hours_by_network on network_hours (store_id, network, hour)',
    // What moves with a visitor is looked for by visitor.
    'create index vitals_by_visitor on events (store_id, visitor_id) where kind = 5',
    'alter table network_decisions add column one_sided boolean not null default false',
  ],
}
