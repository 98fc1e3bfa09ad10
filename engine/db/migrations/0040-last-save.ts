import type { Migration } from '../migrate.ts'

/** The page that saved a draft last, and its sequence number: saves that overtake each other are told by it (domain/drafts/draft-update.ts). */
export const lastSave: Migration = {
  name: '0040-last-save',
  statements: ['alter table drafts add column last_save jsonb'],
}
