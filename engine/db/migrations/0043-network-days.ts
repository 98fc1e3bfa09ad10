import type { Migration } from '../migrate.ts'

/**
 * Whether shoppers of the day's busiest network ordered as real shoppers do. Without orders, a
 * large share proves nothing (decision 041).
 */
export const networkDays: Migration = {
  name: '0043-network-days',
  statements: ['alter table network_days add column has_ordered boolean not null default false'],
}
