import type { ColumnType } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import type { DailyVisitors } from '../../domain/tests/daily-visitors.ts'
import type { DayTotals, GoalResult, TestSummary, Verdict } from '../../domain/reports/summary.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import type { OrderFigures } from './order-figures.ts'
import type { Json } from './schema.ts'

/**
 * The tables of migration 0002 that Kysely reads and writes row by row. The others are only used by
 * raw statements over whole arrays (raw.ts).
 */
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

/** A test's result as the rollup stored it last, and the numbers it was computed from. */
export type TestSummariesTable = {
  store_id: string
  test_id: string
  summary: Json<TestSummary>
  days: Json<DayTotals[]>
  /** The part of `days` that the tests list draws. */
  daily: ColumnType<DailyVisitors | null, string | null | undefined, string | null>
  order_figures: Json<OrderFigures>
  /** The value in test_changes that this row has already included. */
  changed: number
  orders_changed: number
  updated_at: ColumnType<Date, Date, Date>
  /** What lists show of `summary`. The database keeps these columns itself. */
  visitors: ColumnType<number, never, never>
  goals: ColumnType<GoalResult[] | null, never, never>
  verdict: ColumnType<Verdict | null, never, never>
  is_split_broken: ColumnType<boolean, never, never>
}

/**
 * The number of visitors of a store in a day or in a usage cycle (events/fold/periods.ts names the
 * periods).
 */
export type StorePeriodsTable = { store_id: string; period: string; visitors: number }

/** Past experiments that were imported from a file (imports.ts), by title. */
export type TestImportsTable = {
  store_id: string
  title: string
  test_id: string
  weights: Json<PerArm<number>>
  goal: Goal
  kind: TestKind
  /**
   * True when all rows of the last file are stored. Then the test exists, unless it was deleted.
   */
  is_finished: boolean
  file_hash: string
  imported_at: Date
}
