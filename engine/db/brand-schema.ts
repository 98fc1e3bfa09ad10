/** Tables of migration 0009. */
export type BrandSchema = {}
