/** Tables of migration 0010. */
export type AnalyticsSchema = {}
