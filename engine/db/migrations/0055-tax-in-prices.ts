import type { Migration } from '../migrate.ts'

/**
 * Tax that an order's prices included, apart from its amounts, and which tests count it as revenue
 * (decision 084).
 */
export const taxInPrices: Migration = {
  name: '0055-tax-in-prices',
  statements: [
    'alter table orders add column tax bigint not null default 0, add column refunded_tax bigint not null default 0',
    // Until now orders were counted as they were charged. Tests that exist keep that rule.
    'alter table tests add column counts_tax boolean not null default true',
  ],
}
