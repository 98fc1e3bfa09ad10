import type { Migration } from '../migrate.ts'

/**
 * Results of comparing orders with the price tests that ran on their products. `cause` and
 * `message` are set when the charged price differs from the shown one.
 */
export const priceChecks: Migration = {
  name: '0033-price-checks',
  statements: [
    `create table price_checks (
      store_id uuid not null,
      test_id uuid not null,
      order_id text not null,
      at timestamptz not null,
      is_unmarked boolean not null,
      cause text,
      message text,
      primary key (store_id, test_id, order_id),
      foreign key (store_id, test_id) references tests (store_id, test_id) on delete cascade)`,
  ],
}
