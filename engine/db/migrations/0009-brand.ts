import type { Migration } from '../migrate.ts'

export const brand: Migration = {
  name: '0009-brand',
  statements: [],
}
