import type { Statement } from '../../db/together.ts'
import type { SpeedDeltas } from '../fold/speed.ts'

/** Adds the measured pages to the counts of the tests' arms. */
export function writeSpeed(deltas: SpeedDeltas): Statement[] {
  if (deltas.size === 0) return []
  const added = [...deltas.values()]
  return [
    {
      name: 'speeds',
      text: `
    insert into test_speed as s (store_id, test_id, arm, metric, place, pages)
    select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::text[], $5::smallint[], $6::int[])
    on conflict (store_id, test_id, arm, metric, place) do update set pages = s.pages + excluded.pages`,
      values: [
        added.map(d => d.storeId),
        added.map(d => d.testId),
        added.map(d => d.arm),
        added.map(d => d.metric),
        added.map(d => d.place),
        added.map(d => d.pages),
      ],
    },
  ]
}
