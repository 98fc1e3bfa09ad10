import type { Migration } from '../migrate.ts'

export const billing: Migration = {
  name: '0008-billing',
  statements: [],
}
