import type { Migration } from '../migrate.ts'

export const lifecycle: Migration = {
  name: '0005-lifecycle',
  statements: [],
}
