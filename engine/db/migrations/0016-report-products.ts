import type { Migration } from '../migrate.ts'

/**
 * What a test's visitors did with each product; pieces and countries in the orders' part of the
 * cube; indexes to find orders by name or id. As in 0002, tables that the collector writes have no
 * foreign keys.
 */
export const reportProducts: Migration = {
  name: '0016-report-products',
  statements: [
    // Number of pieces in all lines of the order.
    'alter table orders add column units int not null default 0',
    `update orders o set units = (select coalesce(sum((line->>'quantity')::int), 0) from jsonb_array_elements(o.lines) line) where o.lines is not null`,
    'create index orders_by_name on orders (store_id, name text_pattern_ops)',
    'create index orders_by_id on orders (store_id, order_id text_pattern_ops)',
    // When a visitor of the test last viewed the product and last added it to the cart, while the
    // test ran.
    `create table test_visitor_products (
      store_id uuid not null,
      test_id uuid not null,
      visitor_id text not null,
      product_id text not null,
      last_view_at timestamptz,
      last_add_at timestamptz,
      primary key (store_id, test_id, visitor_id, product_id))`,
    // Counted visitors who did so after their first exposure. (test_products has the products of
    // price tests.)
    `create table test_product_visitors (
      store_id uuid not null,
      test_id uuid not null,
      product_id text not null,
      arm smallint not null,
      viewers int not null,
      adders int not null,
      primary key (store_id, test_id, product_id, arm))`,
    // Counted orders by product, as the rollup computed them last. The title is that of the newest
    // such order in either arm.
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
    // The shop's titles of products that visitors saw. Null when the shop does not have the
    // product.
    `create table product_titles (
      store_id uuid not null references stores on delete cascade,
      product_id text not null,
      title text,
      asked_at timestamptz not null,
      primary key (store_id, product_id))`,
    // Existing rows become those of all countries together. The rollup adds rows by country.
    `alter table test_cube_orders add column country text not null default '*', add column units float8 not null default 0`,
    'alter table test_cube_orders drop constraint test_cube_orders_pkey',
    'alter table test_cube_orders add primary key (store_id, test_id, country, referrer, arm, device, channel, is_new, type)',
    // The rollup computes them again within seconds, with products, countries and bots' orders.
    'delete from test_summaries',
  ],
}
