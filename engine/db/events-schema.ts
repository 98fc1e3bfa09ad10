import type { TestSummary } from '../../domain/summary.ts'
import type { Json } from './schema.ts'

/** Tables of migration 0002: events, orders, aggregates and what is summed up from them. */
export type EventsSchema = {
  test_summaries: TestSummariesTable
}

/** A test's result as the rollup last stored it. */
export type TestSummariesTable = {
  store_id: string
  test_id: string
  summary: Json<TestSummary>
  updated_at: Date
}
