import type { Migration } from '../migrate.ts'

/**
 * Finds the visitors of one decision, so that reports need not read all visitors who are set aside
 * (engine/reports/test-totals.ts).
 */
export const asideByDecision: Migration = {
  name: '0042-aside-by-decision',
  statements: [
    'create index visitors_aside_by_decision on visitors_aside (store_id, decision_id, visitor_id)',
  ],
}
