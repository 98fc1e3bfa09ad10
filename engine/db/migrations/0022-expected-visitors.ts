import type { Migration } from '../migrate.ts'

/** Visitors a day that a merchant expects of a draft whose shop has too little history to plan by. */
export const expectedVisitors: Migration = {
  name: '0022-expected-visitors',
  statements: ['alter table drafts add column expected_visitors integer'],
}
