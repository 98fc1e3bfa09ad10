import type { Migration } from '../migrate.ts'

export const analytics: Migration = {
  name: '0010-analytics',
  statements: [],
}
