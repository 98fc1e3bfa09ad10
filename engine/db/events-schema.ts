import type { ColumnType } from 'kysely'
import type { DayTotals, TestSummary } from '../../domain/summary.ts'
import type { OrderFigures } from '../order-figures.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0002 that are read and written row by row; the others see only statements over whole arrays. */
export type EventsSchema = {
  test_changes: TestChangesTable
  test_summaries: TestSummariesTable
  store_periods: StorePeriodsTable
}

export type TestChangesTable = { store_id: string; test_id: string; changed: number; orders_changed: number }

/** A test's result as the rollup last stored it, and what it was made from. */
export type TestSummariesTable = {
  store_id: string
  test_id: string
  summary: Json<TestSummary>
  days: Json<DayTotals[]>
  order_figures: Json<OrderFigures>
  /** The test_changes it has seen. */
  changed: number
  orders_changed: number
  updated_at: ColumnType<Date, Date, Date>
}

/** Visitors of a store in a day or a usage cycle (aggregates-store.ts names them). */
export type StorePeriodsTable = { store_id: string; period: string; visitors: number }
