import type { Migration } from '../migrate.ts'

/** Lets a store count only visitors who have agreed (domain/events/consent.ts). */
export const consentRule: Migration = {
  name: '0038-consent',
  statements: [`alter table stores add column consent_rule text not null default 'unlessRefused'`],
}
