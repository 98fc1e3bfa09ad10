import type { Migration } from '../migrate.ts'

/**
 * The number of visitors a day that the merchant expects for a draft, when the shop has too little
 * history to plan with.
 */
export const expectedVisitors: Migration = {
  name: '0022-expected-visitors',
  statements: ['alter table drafts add column expected_visitors integer'],
}
