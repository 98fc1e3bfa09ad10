import type { Migration } from '../migrate.ts'

/**
 * For the tests list: each test's visitors a day, in a small column so that the list need not read
 * the whole summary; and when a store dismissed the beginners' checklist.
 */
export const listFigures: Migration = {
  name: '0023-list-figures',
  statements: [
    'alter table test_summaries add column daily jsonb',
    `update test_summaries s set daily = (
      select jsonb_build_object('from', min(d.day)::text, 'visitors', jsonb_agg(d.visitors order by d.day)) from (
        select g::date as day, coalesce((select sum((e->>'visitors')::int) from jsonb_array_elements(s.days) e where e->>'day' = g::date::text), 0) as visitors
        from (select min((e->>'day')::date) as first, max((e->>'day')::date) as last from jsonb_array_elements(s.days) e) r,
          generate_series(greatest(r.first, r.last - 27), r.last, interval '1 day') g) d)
      where jsonb_array_length(s.days) > 0`,
    'alter table stores add column checklist_dismissed_at timestamptz',
    // Cached answers (answers.ts) say whether the script is on the shop.
    'create trigger published_scripts_changed after insert or update of url on published_scripts for each row execute function store_changed()',
  ],
}
