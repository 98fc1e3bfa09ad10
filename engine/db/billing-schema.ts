/** Tables of migration 0008. */
export type BillingSchema = {}
