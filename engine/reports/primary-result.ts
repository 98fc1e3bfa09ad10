import { sql } from 'kysely'
import { goalNames } from '../../domain/reports/goal.ts'
import type { GoalResult } from '../../domain/reports/summary.ts'

/**
 * SQL: the result of the own goal of the test `t`, from its summary `s`. A summary has its goals in
 * the order of goal.ts.
 */
export const primary = sql<GoalResult | null>`s.goals->(array_position(array[${sql.join(goalNames)}]::text[], t.goal) - 1)`
