import type { ColumnType } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { DailyVisitors } from '../../domain/tests/daily-visitors.ts'
import type { DayTotals, TestSummary } from '../../domain/reports/summary.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { OrderFigures } from './order-figures.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0002 that are read and written row by row; the others see only statements over whole arrays. */
export type EventsSchema = {
  test_changes: TestChangesTable
  test_summaries: TestSummariesTable
  store_periods: StorePeriodsTable
  test_imports: TestImportsTable
}

export type TestChangesTable = {
  store_id: string
  test_id: string
  changed: number
  orders_changed: number
}

/** A test's result as the rollup last stored it, and what it was made from. */
export type TestSummariesTable = {
  store_id: string
  test_id: string
  summary: Json<TestSummary>
  days: Json<DayTotals[]>
  /** Of the days, what the list draws. */
  daily: ColumnType<DailyVisitors | null, string | null | undefined, string | null>
  order_figures: Json<OrderFigures>
  /** The test_changes it has seen. */
  changed: number
  orders_changed: number
  updated_at: ColumnType<Date, Date, Date>
}

/** Visitors of a store in a day or a usage cycle (events/fold/periods.ts names them). */
export type StorePeriodsTable = { store_id: string; period: string; visitors: number }

/** Past experiments that were taken in from a file (imports.ts), by title. */
export type TestImportsTable = {
  store_id: string
  title: string
  test_id: string
  weights: Json<PerArm<number>>
  goal: Goal
  kind: TestKind
  /** All rows of the last file are in, and its test is there unless it was deleted. */
  is_finished: boolean
  file_hash: string
  imported_at: Date
}
