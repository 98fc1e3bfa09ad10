import type { Migration } from '../migrate.ts'

/**
 * The network in which a visitor met a test, kept for 48 hours, and how many visitors a network
 * brought to each arm (decision 041). A visitor may have several networks: the one in which the
 * shop saw them first, and those in which they met a test.
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
    // For the latest visitors of a store.
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
    // For the last 48 hours of one network.
    'create index network_hours_by_network on network_hours (store_id, network, hour)',
    // When a visitor is set aside or counted again, their vitals are looked up by visitor.
    'create index vitals_by_visitor on events (store_id, visitor_id) where kind = 5',
    'alter table network_decisions add column one_sided boolean not null default false',
  ],
}
