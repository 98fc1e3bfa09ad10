import type { Migration } from '../migrate.ts'

/**
 * What the breakdowns and the twelve daily metrics need: channel, referrer and sessions of a
 * visitor, and counts by them. As in 0002, tables that the collector writes have no foreign keys.
 */
export const reporting: Migration = {
  name: '0006-reporting',
  statements: [
    'alter table orders add column name text',
    `alter table orders add column type text not null default 'oneTime'`,
    'alter table orders add column lines jsonb',
    // ISO country from the edge's header. Only stored with exposures.
    'alter table events add column country text',
    // All of these describe the first exposure. `channel` is an index into `channels` in
    // domain/events/channel.ts.
    `alter table test_visitors add column session_id text, add column channel smallint, add column referrer text, add column country text`,
    'create index test_visitors_by_visitor on test_visitors (store_id, visitor_id)',
    // Bounces are visitors, by the day of their first exposure; sessions count on their own day.
    `alter table test_days add column bounces int not null default 0, add column sessions int not null default 0`,
    // Every session of the shop, tested or not: its begin, its last event and the number of pages.
    `create table visitor_sessions (
      store_id uuid not null,
      visitor_id text not null,
      session_id text not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      views int not null,
      primary key (store_id, visitor_id, session_id))`,
    // A test's counts over all its days, by properties of its visitors. Referrer: a host, '' for
    // none, '*' for all together.
    `create table test_cube (
      store_id uuid not null,
      test_id uuid not null,
      referrer text not null,
      arm smallint not null,
      device smallint not null,
      channel smallint not null,
      is_new boolean not null,
      visitors int not null,
      clickers int not null,
      adders int not null,
      bounces int not null,
      sessions int not null,
      primary key (store_id, test_id, referrer, arm, device, channel, is_new))`,
    // What orders add to the same cells, as the rollup computed it last. Type: of the order, '' for
    // one-time and subscription together.
    `create table test_cube_orders (
      store_id uuid not null,
      test_id uuid not null,
      referrer text not null,
      arm smallint not null,
      device smallint not null,
      channel smallint not null,
      is_new boolean not null,
      type text not null,
      buyers int not null,
      orders int not null,
      revenue float8 not null,
      capped_revenue float8 not null,
      capped_revenue_squares float8 not null,
      order_squares float8 not null,
      capped_revenue_orders float8 not null,
      primary key (store_id, test_id, referrer, arm, device, channel, is_new, type),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    // Stores whose aggregates must be computed again from their events: earlier versions did not
    // count what is new here.
    `create table rebuilds_due (
      store_id uuid primary key references stores on delete cascade)`,
    'insert into rebuilds_due select store_id from stores s where exists (select from events e where e.store_id = s.store_id)',
    // The rollup computes them again within seconds, in the new form.
    'delete from test_summaries',
  ],
}
