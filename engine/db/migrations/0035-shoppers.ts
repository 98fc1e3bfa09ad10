import type { Migration } from '../migrate.ts'

/** What shoppers ask of us by way of their shop: to be told what is known of them, and to be erased. */
export const shoppers: Migration = {
  name: '0035-shoppers',
  statements: [
    // Answers to data requests of the platform, until they have been handed over.
    `create table shopper_exports (
      store_id uuid not null references stores on delete cascade,
      export_id uuid not null,
      asked_at timestamptz not null,
      body jsonb not null,
      primary key (store_id, export_id))`,
    // Orders that were erased, by keyed hash: a delivery of one that comes later is not taken.
    `create table erased_orders (
      store_id uuid not null references stores on delete cascade,
      order_hash text not null,
      primary key (store_id, order_hash))`,
  ],
}
