import { assign } from '../../../domain/tests/assignment.ts'
import { measured, type SpeedMetric, speedPlace } from '../../../domain/reports/speed.ts'
import type { EventRow, StoreTest } from './event-rows.ts'
import { isRunning } from '../../tests/stand-still.ts'

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

/** The tests of these counts, with their stores. */
export const testsOf = (
  deltas: Iterable<{ testId: string; storeId: string }>,
): [testId: string, storeId: string][] =>
  [...deltas].map(({ testId, storeId }) => [testId, storeId])
