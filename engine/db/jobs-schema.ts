/** Tables of migration 0004. */
export type JobsSchema = {}
