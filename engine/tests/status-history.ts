import { sql } from 'kysely'
import type { TestStatus } from '../../domain/tests/test-status.ts'

/**
 * The statuses of a test and when each began (milliseconds), oldest first. A test without any has
 * null.
 */
export type StatusHistory = { status: TestStatus; at: number }[] | null

/** The statuses of the row `t` of `tests`, as a column of a query. */
export const statusHistory = sql<StatusHistory>`(select json_agg(json_build_object('status', h.status, 'at', extract(epoch from h.applied_on) * 1000) order by h.seq)
  from test_history h where h.store_id = t.store_id and h.test_id = t.test_id)`
