import type { Migration } from '../migrate.ts'

/**
 * What the visitors of a test did with each product, pieces and country in the orders' part of the cube, and how orders
 * are found by what they are called. As in 0002, what the collector writes has no foreign keys.
 */
export const reportProducts: Migration = {
  name: '0016-report-products',
  statements: [
    // Pieces of all its lines.
    'alter table orders add column units int not null default 0',
    `update orders o set units = (select coalesce(sum((line->>'quantity')::int), 0) from jsonb_array_elements(o.lines) line) where o.lines is not null`,
    'create index orders_by_name on orders (store_id, name text_pattern_ops)',
    'create index orders_by_id on orders (store_id, order_id text_pattern_ops)',
    // When a visitor in a test last saw the product and last put it in the cart, within the test's time.
    `create table test_visitor_products (
      store_id uuid not null,
      test_id uuid not null,
      visitor_id text not null,
      product_id text not null,
      last_view_at timestamptz,
      last_add_at timestamptz,
      primary key (store_id, test_id, visitor_id, product_id))`,
    // Counted visitors who did so after they met the test (test_products are those of a price test).
    `create table test_product_visitors (
      store_id uuid not null,
      test_id uuid not null,
      product_id text not null,
      arm smallint not null,
      viewers int not null,
      adders int not null,
      primary key (store_id, test_id, product_id, arm))`,
    // Counted orders by product, as the rollup last summed them up; the title is that of the newest of them in either arm.
    `create table test_product_orders (
      store_id uuid not null,
      test_id uuid not null,
      product_id text not null,
      arm smallint not null,
      title text not null,
      buyers int not null,
      units float8 not null,
      revenue float8 not null,
      primary key (store_id, test_id, product_id, arm),
      foreign key (store_id, test_id) references tests on delete cascade)`,
    // What the shop calls products that were seen; null for one that it does not have.
    `create table product_titles (
      store_id uuid not null references stores on delete cascade,
      product_id text not null,
      title text,
      asked_at timestamptz not null,
      primary key (store_id, product_id))`,
    // Of all countries together, as there were none; the rollup puts the others beside them.
    `alter table test_cube_orders add column country text not null default '*', add column units float8 not null default 0`,
    'alter table test_cube_orders drop constraint test_cube_orders_pkey',
    'alter table test_cube_orders add primary key (store_id, test_id, country, referrer, arm, device, channel, is_new, type)',
    // Summed up again within seconds, with products, countries and what bots ordered.
    'delete from test_summaries',
  ],
}
