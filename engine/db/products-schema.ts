/** Tables of migration 0007. */
export type ProductsSchema = {}
