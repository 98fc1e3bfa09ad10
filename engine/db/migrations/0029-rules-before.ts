import type { Migration } from '../migrate.ts'

/**
 * The price rule that the merchant replaced by typing prices. Undoing those prices brings it back.
 */
export const rulesBefore: Migration = {
  name: '0029-rules-before',
  statements: ['alter table test_products add column rule_before jsonb'],
}
