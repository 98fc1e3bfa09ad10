import type { Migration } from '../migrate.ts'

/** Orders that were erased are known by a hash; its key is the store's own, sealed (engine/stores/shoppers/erased-orders.ts). */
export const erasureKey: Migration = {
  name: '0039-erasure-key',
  statements: ['alter table stores add column erasure_key bytea'],
}
