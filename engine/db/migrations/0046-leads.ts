import type { Migration } from '../migrate.ts'

/** What staff know about requests for a custom plan, and whether each was mailed. */
export const leads: Migration = {
  name: '0046-leads',
  statements: [
    // `changed_by` names a member without a foreign key: a restore writes this table before
    // staff_users (engine/operators/backup.ts).
    `alter table leads
      add column via text not null default 'form' check (via in ('form', 'booking')),
      add column state text not null default 'open' check (state in ('open', 'answered', 'closed')),
      add column note text not null default '',
      add column changed_at timestamptz,
      add column changed_by uuid,
      add column mailed_at timestamptz`,
    "create index leads_open on leads (updated_at) where state = 'open' and email is not null",
  ],
}
