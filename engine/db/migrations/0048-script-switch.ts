import type { Migration } from '../migrate.ts'

/** Where the merchant turns on the script of a shop whose pages do not load it. */
export const scriptSwitch: Migration = {
  name: '0048-script-switch',
  statements: ['alter table stores add column script_switch_at text'],
}
