import type { Migration } from '../migrate.ts'

const cellWith = (condition: string) =>
  `exists (select from test_cube c where c.store_id = t.store_id and c.test_id = t.test_id and c.visitors <> 0 and ${condition})`

export const whatFilesTell: Migration = {
  name: '0019-what-files-tell',
  statements: [
    // The facts about visitors that the file of an imported test does not contain
    // (domain/imports/import-facts.ts).
    `alter table tests add column not_in_file jsonb not null default '[]'`,
    // For tests already imported: a fact is missing when all counted cells have its value for "not
    // said".
    `update tests t set not_in_file = (select jsonb_agg(fact) from (values
        ('device', ${cellWith('c.device <> 0')}), ('channel', ${cellWith('c.channel <> 0')}), ('referrer', ${cellWith("c.referrer not in ('*', '')")}),
        ('country', ${cellWith("c.country <> '*'")}), ('visitors', false)) f(fact, is_told) where not is_told)
      where t.is_imported`,
    // The rollup computes them again within seconds. When the split is broken, the new summary does
    // not compare the arms.
    'delete from test_summaries',
  ],
}
