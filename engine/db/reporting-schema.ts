/** Tables of migration 0006. */
export type ReportingSchema = {}
