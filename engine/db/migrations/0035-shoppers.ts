import type { Migration } from '../migrate.ts'

/** Requests that shoppers make through their shop: to get their data, and to have it erased. */
export const shoppers: Migration = {
  name: '0035-shoppers',
  statements: [
    // Answers to the platform's data requests, kept until they are handed over.
    `create table shopper_exports (
      store_id uuid not null references stores on delete cascade,
      export_id uuid not null,
      asked_at timestamptz not null,
      body jsonb not null,
      primary key (store_id, export_id))`,
    // Keyed hashes of erased orders. If the platform delivers such an order again, we do not store
    // it.
    `create table erased_orders (
      store_id uuid not null references stores on delete cascade,
      order_hash text not null,
      primary key (store_id, order_hash))`,
  ],
}
