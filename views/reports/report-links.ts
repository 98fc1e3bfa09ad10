import type { Channel } from '../../domain/events/channel.ts'
import type { Device } from '../../domain/device.ts'
import { goals, type Goal } from '../../domain/reports/goal.ts'
import { metricSlug, type Metric } from '../../domain/reports/metric.ts'
import { paths } from '../../domain/paths.ts'
import type { Exclusion } from '../../domain/reports/summary.ts'

export type VisitorsFilter = 'all' | 'new' | 'returning'
/**
 * Filters of the figures that a tab shows. Empty `channels` means all. `country`: `all`, two
 * letters, or `unknown`.
 */
export type TabFilters = {
  device: 'all' | Device
  visitors: VisitorsFilter
  channels: readonly Channel[]
  country: string
}
export const noFilters: TabFilters = {
  device: 'all',
  visitors: 'all',
  channels: [],
  country: 'all',
}
export const isFiltered = ({ device, visitors, channels, country }: TabFilters): boolean =>
  device !== 'all' || visitors !== 'all' || channels.length > 0 || country !== 'all'

/**
 * Choices that all pages of a report keep: each page carries along in its links also those that it
 * does not use.
 * `goal` and `metric` belong to the overview; null means the default.
 */
export type Chosen = TabFilters & { goal: Goal | null; metric: Metric | null }
export const nothingChosen: Chosen = { ...noFilters, goal: null, metric: null }
/** The query for these choices. Defaults are left out. */
export function chosenQuery(chosen: Partial<Chosen>): URLSearchParams {
  const { device, visitors, channels, country, goal, metric } = { ...nothingChosen, ...chosen }
  const query = new URLSearchParams()
  if (device !== 'all') query.set('device', device)
  if (visitors !== 'all') query.set('visitors', visitors)
  if (channels.length > 0) query.set('channels', channels.join(','))
  if (country !== 'all') query.set('country', country)
  if (goal !== null) query.set('goal', goalSlug(goal))
  if (metric !== null) query.set('metric', metricSlug(metric))
  return query
}
export const goalSlug = (goal: Goal): string => goals[goal].short.toLowerCase()

/**
 * What a report's overview shows. `metric`: null means that it follows the goal. `filters` belong
 * to the tabs and are only carried along.
 */
export type Overview = { goal: Goal; metric: Metric | null; filters?: TabFilters }
export const chosenOf = (
  { goal: primary }: { goal: Goal },
  { goal, metric, filters = noFilters }: Overview,
): Chosen => ({ ...filters, goal: goal === primary ? null : goal, metric })

/** Address of the overview. Defaults are left out. */
export function overviewPath(test: { id: string; goal: Goal }, shown: Overview): string {
  const query = overviewQuery(test, shown)
  return query.size > 0 ? `${paths.report(test.id)}?${query}` : paths.report(test.id)
}
export const overviewQuery = (test: { goal: Goal }, shown: Overview): URLSearchParams =>
  chosenQuery(chosenOf(test, shown))

/** A line of the order ledger, as the API names it. */
export type LedgerPart = 'all' | 'control' | 'variant' | Exclusion
export const ordersPerPage = 10
/**
 * Address of the dialog with the orders behind a line of the ledger, over the report as it is
 * shown. The page below is at the ledger.
 */
export function ordersPath(
  test: { id: string; goal: Goal },
  { part, page = 0, search = '' }: { part: LedgerPart; page?: number; search?: string },
  shown: Overview = { goal: test.goal, metric: null },
): string {
  const query = new URLSearchParams({ ask: 'orders', part })
  if (search) query.set('search', search)
  if (page > 0) query.set('page', String(page))
  for (const [name, value] of overviewQuery(test, shown)) query.set(name, value)
  return `${paths.report(test.id)}?${query}#ledger`
}
