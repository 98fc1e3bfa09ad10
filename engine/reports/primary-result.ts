import { type RawBuilder, sql } from 'kysely'
import { goalNames } from '../../domain/reports/goal.ts'
import type { GoalResult } from '../../domain/reports/summary.ts'

/**
 * SQL: the result of the own goal of the test `t`, from the goals of its summary. A summary has its
 * goals in the order of goal.ts.
 */
export const primaryOf = (goals: RawBuilder<unknown>): RawBuilder<GoalResult | null> =>
  sql<GoalResult | null>`${goals}->(array_position(array[${sql.join(goalNames)}]::text[], t.goal) - 1)`
/** The same from the summary `s`. */
export const primary = primaryOf(sql`s.summary->'goals'`)
