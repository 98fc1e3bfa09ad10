import type { Migration } from '../migrate.ts'

export const reporting: Migration = {
  name: '0006-reporting',
  statements: [
    // Orders that came before have no name or lines: a later delivery brings them.
    `alter table orders add column name text, add column type text not null default 'oneTime', add column lines jsonb`,
  ],
}
