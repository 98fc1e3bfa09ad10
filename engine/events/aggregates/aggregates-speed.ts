import { assign } from '../../../domain/tests/assignment.ts'
import { measured, type SpeedMetric, speedPlace } from '../../../domain/reports/speed.ts'
import { run } from '../../db/raw.ts'
import type { EventRow, StoreTest } from '../ingest-rows.ts'
import { isRunning } from '../../tests/stand-still.ts'
import type { Trx } from '../../db/types.ts'

/** Pages of a test's arm that a measure puts in one place of its scale. */
export type SpeedDelta = {
  storeId: string
  testId: string
  arm: number
  metric: SpeedMetric
  place: number
  pages: number
}
/** By all that names them. */
export type SpeedDeltas = Map<string, SpeedDelta>

/** Counts one page for each test that it was tested for. Whole pages by single events: any order gives the same. */
export function foldSpeed(
  into: SpeedDeltas,
  { visit, at, tests, vitals }: EventRow,
  known: Map<string, StoreTest>,
): void {
  if (!vitals) return
  for (const id of tests ?? []) {
    const test = known.get(id)
    if (!test || !isRunning(test, at)) continue
    const arm = assign(id, visit.visitor, test.weights)
    for (const [metric, value] of measured(vitals)) {
      const place = speedPlace(value),
        key = `${id} ${arm} ${metric} ${place}`
      const delta = into.get(key)
      if (delta) delta.pages++
      else into.set(key, { storeId: visit.storeId, testId: id, arm, metric, place, pages: 1 })
    }
  }
}

/** The tests of these pages, with their stores. */
export const testsOf = (deltas: SpeedDeltas): [testId: string, storeId: string][] =>
  [...deltas.values()].map(({ testId, storeId }) => [testId, storeId])

export async function writeSpeed(trx: Trx, deltas: SpeedDeltas): Promise<void> {
  if (deltas.size === 0) return
  const added = [...deltas.values()]
  await run(
    trx,
    `
    insert into test_speed as s (store_id, test_id, arm, metric, place, pages)
    select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::text[], $5::smallint[], $6::int[])
    on conflict (store_id, test_id, arm, metric, place) do update set pages = s.pages + excluded.pages`,
    [
      added.map(d => d.storeId),
      added.map(d => d.testId),
      added.map(d => d.arm),
      added.map(d => d.metric),
      added.map(d => d.place),
      added.map(d => d.pages),
    ],
  )
}
