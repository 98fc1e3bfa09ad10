import type { Migration } from '../migrate.ts'

/**
 * What the breakdowns and the twelve daily metrics need: a visitor's channel, referrer and sessions, and the counts by
 * them. As in 0002, what the collector writes has no foreign keys.
 */
export const reporting: Migration = {
  name: '0006-reporting',
  statements: [
    'alter table orders add column name text',
    `alter table orders add column type text not null default 'oneTime'`,
    'alter table orders add column lines jsonb',
    // ISO country, by the edge's header; kept with exposures alone.
    'alter table events add column country text',
    // All of them of the first exposure; channel is a place in domain/events/channel.ts `channels`.
    `alter table test_visitors add column session_id text, add column channel smallint, add column referrer text, add column country text`,
    'create index test_visitors_by_visitor on test_visitors (store_id, visitor_id)',
    // Visitors who bounced by the day of first exposure, sessions by their own day.
    `alter table test_days add column bounces int not null default 0, add column sessions int not null default 0`,
    // Every session of the shop, tested or not: begin, last act, and pages seen.
    `create table visitor_sessions (
      store_id uuid not null,
      visitor_id text not null,
      session_id text not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      views int not null,
      primary key (store_id, visitor_id, session_id))`,
    // A test's counts over all its days by what is known of its visitors. Referrer: a host, '' for none, '*' for all together.
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
    // The part of the same cells that orders make, as the rollup last summed it up. Type: of order, '' for one-time and subscription together.
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
    // Stores whose aggregates are to be made again from their events: those of an earlier version lack what is new here.
    `create table rebuilds_due (
      store_id uuid primary key references stores on delete cascade)`,
    'insert into rebuilds_due select store_id from stores s where exists (select from events e where e.store_id = s.store_id)',
    // Summed up again within seconds, in the new form.
    'delete from test_summaries',
  ],
}
