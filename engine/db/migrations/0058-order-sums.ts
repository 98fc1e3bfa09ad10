import type { Migration } from '../migrate.ts'

/**
 * Orders are summed up as they come (decision 092). An order above the cap adds the cap, which
 * moves with every order. So sums are kept in parts: `plain`, the hundredths of minor units of the
 * orders below the cap; `above`, the number of orders above it; the squares of both; and one times
 * the other.
 */
const parts = ['plain', 'above', 'plain_squares', 'plain_above', 'above_squares']
const ofOrders = ['plain_orders', 'above_orders']
const added = [...parts, ...ofOrders]

export const orderSums: Migration = {
  name: '0058-order-sums',
  statements: [
    // What each order adds to the sums of a test at present. Written by the rollup alone.
    `create table test_orders (
      store_id uuid not null,
      test_id uuid not null,
      order_id text not null,
      visitor_id text,
      created_at timestamptz not null,
      day date not null,
      arm smallint,
      device smallint,
      channel smallint not null,
      is_new boolean,
      referrer text not null,
      country text,
      type text not null,
      reason text,
      way text,
      share smallint not null,
      amount bigint not null,
      refunded bigint not null,
      units int not null,
      items jsonb,
      is_above boolean not null,
      primary key (store_id, test_id, order_id),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    'create index test_orders_by_visitor on test_orders (store_id, visitor_id, test_id)',
    'create index test_orders_by_amount on test_orders (store_id, test_id, share, amount) where share > 0',
    // The sums by day, by reason, by way, and of bots. Arm -1: the order belongs to no arm.
    `create table test_order_sums (
      store_id uuid not null,
      test_id uuid not null,
      part text not null,
      name text not null,
      arm smallint not null,
      buyers numeric not null,
      orders numeric not null,
      revenue numeric not null,
      refunds numeric not null,
      order_squares numeric not null,
      units numeric not null,
      ${added.map(column => `${column} numeric not null`).join(', ')},
      primary key (store_id, test_id, part, name, arm),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    // How many orders of an instant call a product by this title: the newest title is shown.
    `create table test_order_titles (
      store_id uuid not null,
      test_id uuid not null,
      product_id text not null,
      created_at timestamptz not null,
      title text not null,
      orders int not null,
      primary key (store_id, test_id, product_id, created_at, title),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    // Cap: hundredths of minor units. `orders_changed`: that of test_changes, as far as it is
    // summed up here. `compared_at`: when every order was last looked at.
    `create table test_order_states (
      store_id uuid not null,
      test_id uuid not null,
      cap bigint,
      orders_changed bigint not null,
      compared_at timestamptz not null,
      primary key (store_id, test_id),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    // Orders, and visitors with orders, that changed since. Each is one of orders_changed. As in
    // 0002, no foreign key: the collector writes it.
    `create table order_marks (
      mark_id bigint generated always as identity,
      store_id uuid not null,
      test_id uuid not null,
      order_id text,
      visitor_id text,
      primary key (store_id, test_id, mark_id))`,
    // Cells from before are all below the cap. The next summary makes them again, except those of
    // tests that are settled.
    `alter table test_cube_orders ${added.map(column => `add column ${column} numeric not null default 0`).join(', ')}`,
    `update test_cube_orders set plain = round(capped_revenue::numeric * 100), plain_squares = round(capped_revenue_squares::numeric * 10000),
      plain_orders = round(capped_revenue_orders::numeric * 100)`,
    'alter table test_cube_orders drop column capped_revenue, drop column capped_revenue_squares, drop column capped_revenue_orders',
    ...['test_order_sums', 'test_order_titles', 'test_cube_orders'].map(
      table => `create index ${table}_of_none on ${table} (store_id, test_id) where orders = 0`,
    ),
  ],
}
