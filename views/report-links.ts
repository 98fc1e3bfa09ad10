import { goals, type Goal } from '../domain/goal.ts'
import { metricSlug, type Metric } from '../domain/metric.ts'
import { paths } from '../domain/paths.ts'
import type { Exclusion } from '../domain/summary.ts'

/** What a report's overview shows of all it could. `metric`: null follows the goal. */
export type Overview = { goal: Goal; metric: Metric | null }

/** Address of the overview; what is as usual is left out. */
export function overviewPath(test: { id: string; goal: Goal }, { goal, metric }: Overview): string {
  const query = overviewQuery(test, { goal, metric })
  return query.size > 0 ? `${paths.report(test.id)}?${query}` : paths.report(test.id)
}
export function overviewQuery({ goal: primary }: { goal: Goal }, { goal, metric }: Overview): URLSearchParams {
  const query = new URLSearchParams()
  if (goal !== primary) query.set('goal', goalSlug(goal))
  if (metric !== null) query.set('metric', metricSlug(metric))
  return query
}
export const goalSlug = (goal: Goal): string => goals[goal].short.toLowerCase()

/** A line of the order ledger, as the API names it. */
export type LedgerPart = 'all' | 'control' | 'variant' | Exclusion
export const ordersPerPage = 10
/** Address of the orders behind a line of the ledger, over the report. Back there, the page stands at the ledger. */
export function ordersPath(testId: string, { part, page = 0, search = '' }: { part: LedgerPart; page?: number; search?: string }): string {
  const query = new URLSearchParams({ ask: 'orders', part })
  if (search) query.set('search', search)
  if (page > 0) query.set('page', String(page))
  return `${paths.report(testId)}?${query}#ledger`
}
