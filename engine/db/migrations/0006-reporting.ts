import type { Migration } from '../migrate.ts'

export const reporting: Migration = {
  name: '0006-reporting',
  statements: [],
}
