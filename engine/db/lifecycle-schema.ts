/** Tables of migration 0005. */
export type LifecycleSchema = {}
