import type { Migration } from '../migrate.ts'

/**
 * Raw events and orders, and the counts that are made from them. Tables that the collector writes
 * have no foreign keys:
 * a foreign key costs as much as the row, and an event for a test that was deleted a second ago
 * must not make its whole batch fail.
 */
export const events: Migration = {
  name: '0002-events',
  statements: [
    // kind, device and set_aside are indexes into the lists of domain/events/event.ts,
    // visit-agent.ts and fold/event-rows.ts.
    `create table events (
      store_id uuid not null,
      day date not null,
      id text not null,
      at timestamptz not null,
      kind smallint not null,
      device smallint not null,
      set_aside smallint not null,
      is_bot boolean not null,
      is_new boolean not null,
      visitor_id text not null,
      session_id text not null,
      path text not null,
      claims json not null,
      tests uuid[],
      landing text,
      referrer text,
      primary key (store_id, day, id))`,
    `create table test_visitors (
      store_id uuid not null,
      test_id uuid not null,
      visitor_id text not null,
      arm smallint not null,
      stages smallint not null,
      seen smallint not null,
      is_bot boolean not null,
      is_new boolean,
      device smallint,
      first_exposed_at timestamptz,
      last_click_at timestamptz,
      last_cart_at timestamptz,
      primary key (store_id, test_id, visitor_id))`,
    // Counted visitors, by the day of their first exposure. The dimension 'all' has the empty
    // value.
    `create table test_days (
      store_id uuid not null,
      test_id uuid not null,
      day date not null,
      arm smallint not null,
      dimension text not null,
      value text not null,
      visitors int not null,
      clickers int not null,
      adders int not null,
      primary key (store_id, test_id, day, arm, dimension, value))`,
    `create table test_arms (
      store_id uuid not null,
      test_id uuid not null,
      arm smallint not null,
      assigned int not null,
      applied int not null,
      exposed int not null,
      recorded int not null,
      bots int not null,
      both_arms int not null,
      set_aside int not null,
      primary key (store_id, test_id, arm))`,
    // Every visitor of the shop, tested or not, once per day and once per usage cycle; and the
    // number of visitors in each period.
    `create table store_visitors (
      store_id uuid not null,
      period text not null,
      visitor_id text not null,
      primary key (store_id, period, visitor_id))`,
    `create table store_periods (
      store_id uuid not null,
      period text not null,
      visitors int not null,
      primary key (store_id, period))`,
    `create table orders (
      store_id uuid not null,
      order_id text not null,
      created_at timestamptz not null,
      day date not null,
      visitor_id text,
      amount bigint not null,
      refunded bigint not null,
      is_test boolean not null,
      triggered_at timestamptz not null,
      primary key (store_id, order_id))`,
    'create index orders_by_time on orders (store_id, created_at)',
    'create index orders_by_visitor on orders (store_id, visitor_id)',
    `create table webhook_deliveries (
      store_id uuid not null,
      topic text not null,
      delivery_id text not null,
      received_at timestamptz not null,
      primary key (store_id, topic, delivery_id))`,
    // How often a test's figures have changed, and how often such a change touched its orders. The
    // summary stores up to which change it has included them.
    `create table test_changes (
      store_id uuid not null,
      test_id uuid not null,
      changed bigint not null,
      orders_changed bigint not null,
      primary key (store_id, test_id))`,
    `create table test_summaries (
      store_id uuid not null,
      test_id uuid not null,
      summary jsonb not null,
      days jsonb not null,
      order_figures jsonb not null,
      changed bigint not null,
      orders_changed bigint not null,
      updated_at timestamptz not null,
      primary key (store_id, test_id),
      foreign key (store_id, test_id) references tests on delete cascade)`,
  ],
}
