import type { Migration } from '../migrate.ts'

/**
 * An uninstall switches off the winners that our script shows. They stay off until the merchant
 * switches each one on again.
 */
export const winnersOff: Migration = {
  name: '0025-winners-off',
  statements: [
    'alter table tests add column winner_off_at timestamptz',
    `create index tests_script_winners on tests (store_id, applied_at) where kind = 'PageElement' and applied_arm = 'variant'`,
  ],
}
