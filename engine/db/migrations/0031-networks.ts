import type { Migration } from '../migrate.ts'

/**
 * The network of a new visitor, kept for 48 hours; what is usual for a shop; and the visitors that
 * are set aside because of their network (decision 041). A network is stored as a keyed hash, and a
 * decision does not name it for longer either.
 */
export const networks: Migration = {
  name: '0031-networks',
  statements: [
    `create table network_visitors (
      store_id uuid not null,
      visitor_id text not null,
      network text not null,
      seen_at timestamptz not null,
      primary key (store_id, visitor_id))`,
    'create index network_visitors_by_network on network_visitors (store_id, network, seen_at)',
    'create index network_visitors_by_time on network_visitors (seen_at)',
    // New visitors by clock hour. The empty network is the whole shop, without visitors who are set
    // aside.
    `create table network_hours (
      store_id uuid not null,
      hour timestamptz not null,
      network text not null,
      visitors int not null,
      primary key (store_id, hour, network))`,
    `create table network_days (
      store_id uuid not null,
      day date not null,
      visitors int not null,
      busiest int not null,
      primary key (store_id, day))`,
    // The decision about a network, valid until `until`. Then the network is forgotten, but its
    // visitors keep the decision.
    `create table network_decisions (
      store_id uuid not null,
      decision_id uuid not null,
      network text,
      kind text not null,
      decided_by text not null,
      decided_at timestamptz not null,
      until timestamptz not null,
      visitors int not null,
      share float8,
      primary key (store_id, decision_id),
      unique (store_id, network))`,
    `create table visitors_aside (
      store_id uuid not null,
      visitor_id text not null,
      decision_id uuid not null,
      primary key (store_id, visitor_id))`,
    'alter table test_visitors add column is_aside boolean not null default false',
    'alter table store_visitors add column is_aside boolean not null default false',
    'alter table test_arms add column aside int not null default 0',
  ],
}
