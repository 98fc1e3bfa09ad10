import type { Migration } from '../migrate.ts'

/**
 * The page that saved a draft last, and the sequence number of that save. They detect saves that
 * overtake each other (domain/drafts/draft-update.ts).
 */
export const lastSave: Migration = {
  name: '0040-last-save',
  statements: ['alter table drafts add column last_save jsonb'],
}
