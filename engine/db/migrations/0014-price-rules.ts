import type { Migration } from '../migrate.ts'

/** The price rules that the shop charges by, as they were last given to it. */
export const priceRules: Migration = {
  name: '0014-price-rules',
  statements: [`alter table published_scripts add column price_rules jsonb not null default '[]'`],
}
