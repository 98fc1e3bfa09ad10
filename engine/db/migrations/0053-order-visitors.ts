import type { Migration } from '../migrate.ts'

/** How the visitor of an order is known (decision 081). */
export const orderVisitors: Migration = {
  name: '0053-order-visitors',
  statements: [
    // Orders from before have no reason: nobody noted it.
    `alter table orders
      add column by_pixel boolean not null default false,
      add column visitor_lost text check (visitor_lost in ('express', 'cleared', 'absent')),
      add column is_disputed boolean not null default false`,
    // Messages of the checkout pixel about orders that have not arrived yet. A null visitor: two
    // messages named different ones.
    `create table order_pixels (
      store_id uuid not null references stores on delete cascade, of_order text not null, visitor_id text, received_at timestamptz not null,
      primary key (store_id, of_order))`,
    'create index order_pixels_by_time on order_pixels (received_at)',
  ],
}
