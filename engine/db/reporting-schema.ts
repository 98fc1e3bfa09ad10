/** Tables of migration 0006. Most are only used by raw statements over whole arrays. */
export type ReportingSchema = {
  rebuilds_due: RebuildsDueTable
}

/**
 * Stores whose aggregates the rollup must compute again from their events before it sums up their
 * tests.
 */
export type RebuildsDueTable = { store_id: string }
