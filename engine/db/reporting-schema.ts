/** Tables of migration 0006; most see only statements over whole arrays. */
export type ReportingSchema = {
  rebuilds_due: RebuildsDueTable
}

/** Stores whose aggregates the rollup makes again from their events before it sums their tests up. */
export type RebuildsDueTable = { store_id: string }
