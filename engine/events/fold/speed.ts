import { assign } from '../../../domain/tests/assignment.ts'
import { measured, type SpeedMetric, speedPlace } from '../../../domain/reports/speed.ts'
import type { EventRow, StoreTest } from './event-rows.ts'
import { isRunning } from '../../tests/stand-still.ts'

/**
 * How many pages of a test's arm have their value of a metric in one place of its scale
 * (domain/reports/speed.ts `speedPlace`).
 */
export type SpeedDelta = {
  storeId: string
  testId: string
  arm: number
  metric: SpeedMetric
  place: number
  pages: number
}
/** By test, arm, metric and place. */
export type SpeedDeltas = Map<string, SpeedDelta>

/**
 * Counts one page for each test that it was measured for. These are counts of single events, so the
 * order of the events does not matter.
 */
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

/** Pairs of the test id and the store id of these counts. */
export const testsOf = (
  deltas: Iterable<{ testId: string; storeId: string }>,
): [testId: string, storeId: string][] =>
  [...deltas].map(({ testId, storeId }) => [testId, storeId])
