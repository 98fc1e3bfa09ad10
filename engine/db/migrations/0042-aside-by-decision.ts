import type { Migration } from '../migrate.ts'

/** Who is set aside by a decision, so that reports need not read everybody who is (engine/reports/test-totals.ts). */
export const asideByDecision: Migration = {
  name: '0042-aside-by-decision',
  statements: [
    'create index visitors_aside_by_decision on visitors_aside (store_id, decision_id, visitor_id)',
  ],
}
