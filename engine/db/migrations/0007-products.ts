import type { Migration } from '../migrate.ts'

export const products: Migration = {
  name: '0007-products',
  statements: [],
}
