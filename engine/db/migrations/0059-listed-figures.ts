import type { Migration } from '../migrate.ts'

/**
 * The parts of a summary that lists show, in columns of their own. A summary is some ten kB, and
 * the database unpacks all of it for any part.
 */
export const listedFigures: Migration = {
  name: '0059-listed-figures',
  statements: [
    `alter table test_summaries
      add visitors int generated always as (coalesce((summary->'visitors'->>0)::int + (summary->'visitors'->>1)::int, 0)) stored,
      add goals jsonb generated always as (summary->'goals') stored,
      add verdict jsonb generated always as (summary->'verdict') stored,
      add is_split_broken boolean generated always as (coalesce((summary->'split'->>'broken')::boolean, false)) stored`,
  ],
}
