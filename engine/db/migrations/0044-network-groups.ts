import type { Migration } from '../migrate.ts'

/**
 * New visitors of a day's one, two, … five busiest networks together, and whether those networks
 * ordered (decision 061). Null on days that were stored before.
 */
export const networkGroups: Migration = {
  name: '0044-network-groups',
  statements: [
    'alter table network_days add column together int[], add column together_ordered boolean[]',
  ],
}
