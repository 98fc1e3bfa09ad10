import type { Migration } from '../migrate.ts'

export const jobs: Migration = {
  name: '0004-jobs',
  statements: [],
}
