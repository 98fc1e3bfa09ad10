import type { Migration } from '../migrate.ts'

export const plansAndRenewals: Migration = {
  name: '0018-plans-and-renewals',
  statements: [
    // What a test's plan asked for at launch by itself: N* is cut to what the traffic can bring, and says nothing of how long it would take.
    'alter table tests add column needed_visitors int',
    // Of a renewal, the order that its subscription began with. Those taken before this was kept have none, and stay nobody's.
    'alter table orders add column first_order text',
    'create index orders_by_first on orders (store_id, first_order) where first_order is not null',
  ],
}
