import type { ComponentChildren } from 'preact'
import type { BreakdownSort } from '../domain/breakdown.ts'
import type { Channel } from '../domain/channel.ts'
import type { Device } from '../domain/device.ts'
import { formatCount } from '../domain/figures.ts'
import { paths } from '../domain/paths.ts'
import { Icon } from './icons.tsx'

/** Tabs of a report, in the order they stand. The overview is the report's own address. */
export const reportTabs = ['overview', 'devices', 'products', 'visitors', 'channels', 'subscriptions'] as const
export type ReportTab = (typeof reportTabs)[number]
export type VisitorsFilter = 'all' | 'new' | 'returning'
/** Whose figures a tab shows; no channels are all of them. */
export type TabFilters = { device: 'all' | Device; visitors: VisitorsFilter; channels: readonly Channel[] }
export type TabState = TabFilters & {
  testId: string
  tab: Exclude<ReportTab, 'overview'>
  /** From 0, as the API counts. */
  page: number
  pageSize: number
  sort: BreakdownSort
  descending: boolean
  search: string
}

export const usualPageSize = 10
/** Every type of order stands against all visitors, so that their number tells no type from another. */
export const usualSort = (tab: ReportTab): BreakdownSort => (tab === 'subscriptions' ? 'orders' : 'visitors')
/** From the most to the least, names from A to Z. */
export const usuallyDescending = (sort: BreakdownSort): boolean => sort !== 'value'
export const noFilters: TabFilters = { device: 'all', visitors: 'all', channels: [] }
export const isFiltered = ({ device, visitors, channels }: TabFilters): boolean => device !== 'all' || visitors !== 'all' || channels.length > 0

/** Address of a tab in another state; what is as usual is left out. */
export function tabPath(state: Pick<TabState, 'testId' | 'tab'> & Partial<TabState>): string {
  const { testId, tab, device = 'all', visitors = 'all', channels = [], page = 0, pageSize = usualPageSize, sort = usualSort(tab), descending, search = '' } = state
  const query = new URLSearchParams()
  if (device !== 'all') query.set('device', device)
  if (visitors !== 'all') query.set('visitors', visitors)
  if (channels.length > 0) query.set('channels', channels.join(','))
  if (search) query.set('search', search)
  if (sort !== usualSort(tab)) query.set('sort', sort)
  if (descending !== undefined && descending !== usuallyDescending(sort)) query.set('descending', String(descending))
  if (pageSize !== usualPageSize) query.set('pageSize', String(pageSize))
  if (page > 0) query.set('page', String(page))
  const path = paths.report(testId, tab)
  return query.size > 0 ? `${path}?${query}` : path
}

/** A column's head; a link sorts by it, and by it the other way round when it is sorted already. */
export function TabSortHead({ state, sort, label, ...attributes }: { state: TabState; sort: BreakdownSort; label: ComponentChildren; class?: string }) {
  const isSorted = state.sort === sort
  const descending = isSorted ? !state.descending : usuallyDescending(sort)
  return (
    <th scope="col" {...attributes} aria-sort={isSorted ? (state.descending ? 'descending' : 'ascending') : undefined}>
      <a id={`sort-${sort}`} href={tabPath({ ...state, sort, descending, page: 0 })}>{label}{isSorted && (state.descending ? ' ↓' : ' ↑')}</a>
    </th>
  )
}

/** "11–20 of 43 referrers", and the pages beside it. */
export function TabPager({ state, count, shown, noun }: { state: TabState; count: number; shown: number; noun: [one: string, many: string] }) {
  const { page, pageSize } = state
  const pages = Math.ceil(count / pageSize)
  const range = count > shown ? `${formatCount(page * pageSize + 1)}–${formatCount(page * pageSize + shown)} of ` : ''
  const turn = (to: number, label: string, icon: 'back' | 'next') => (to < 0 || to >= pages
    ? <a class="button secondary small icon-only" role="link" aria-disabled="true" aria-label={label}><Icon name={icon} /></a>
    : <a class="button secondary small icon-only" id={`turn-${icon}`} href={tabPath({ ...state, page: to })} aria-label={label}><Icon name={icon} /></a>)
  return (
    <>
      <span>{range}{formatCount(count)} {noun[count === 1 ? 0 : 1]}</span>
      {pages > 1 && <nav class="pager card-foot-end" aria-label="Pages"><span>Page {formatCount(page + 1)} of {formatCount(pages)}</span>{turn(page - 1, 'Previous page', 'back')}{turn(page + 1, 'Next page', 'next')}</nav>}
    </>
  )
}
