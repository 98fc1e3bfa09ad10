import type { Migration } from '../migrate.ts'

export const plansAndRenewals: Migration = {
  name: '0018-plans-and-renewals',
  statements: [
    // The number of visitors that the sample plan needed at launch. `planned_visitors` (N*) is
    // limited to what the traffic can bring, and does not say how long the test would have to run.
    'alter table tests add column needed_visitors int',
    // For a renewal: the order with which its subscription began. Renewals that were stored before
    // this migration have none and belong to no visitor.
    'alter table orders add column first_order text',
    'create index orders_by_first on orders (store_id, first_order) where first_order is not null',
  ],
}
