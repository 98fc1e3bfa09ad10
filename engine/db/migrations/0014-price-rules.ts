import type { Migration } from '../migrate.ts'

/** The price rules by which the shop charges, as we last sent them to it. */
export const priceRules: Migration = {
  name: '0014-price-rules',
  statements: [`alter table published_scripts add column price_rules jsonb not null default '[]'`],
}
