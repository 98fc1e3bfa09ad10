import type { Migration } from '../migrate.ts'

/** Whether the day's busiest network ordered as real shoppers do: without orders a large share says nothing (decision 041). */
export const networkDays: Migration = {
  name: '0043-network-days',
  statements: ['alter table network_days add column has_ordered boolean not null default false'],
}
