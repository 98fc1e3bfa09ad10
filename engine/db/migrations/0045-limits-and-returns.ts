import type { Migration } from '../migrate.ts'

/**
 * Tests at the visitor limit resume by themselves (requirements 14.22). The remedy is stored with
 * each test, so those that were put on hold before still told the merchant to resume them. A
 * request for a plan also has the page to which the merchant returns (requirements 9.14).
 */
export const limitsAndReturns: Migration = {
  name: '0045-limits-and-returns',
  statements: [
    `update tests set hold_cause = jsonb_set(hold_cause, '{remedy}', to_jsonb('Choose a plan with more visitors, or wait until usage resets. Tests on hold then resume by themselves.'::text))
      where hold_cause->>'cause' = 'visitorLimit'`,
    'alter table subscription_asks add column return_path text',
  ],
}
