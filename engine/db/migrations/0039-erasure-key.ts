import type { Migration } from '../migrate.ts'

/**
 * Erased orders are recognised by a hash. Its key belongs to the store and is stored sealed
 * (engine/stores/shoppers/erased-orders.ts).
 */
export const erasureKey: Migration = {
  name: '0039-erasure-key',
  statements: ['alter table stores add column erasure_key bytea'],
}
