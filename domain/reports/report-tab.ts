import type { Capability } from '../access.ts'
import { breakdownSorts, type BreakdownSort, productSorts, type ProductSort } from './breakdown.ts'

/** The name of a way to sort the lists of a tab. */
export type TabSort = BreakdownSort | ProductSort

/**
 * A tab of the report other than the overview. `contents` in server/reports/report-tabs.ts draws
 * it; the compiler checks that it has every name.
 */
type Row = {
  /** The last part of its address. */
  name: string
  label: string
  /**
   * The capability that the tab needs; null for none. Without it the tab only says what it would
   * show and what opens it.
   */
  access: Capability | null
  /** The ways to sort its lists, and the usual one. */
  sorts: readonly TabSort[]
  usualSort: TabSort
  /** The name of the second list in addresses, if the tab has one. Each list has its own pages. */
  second?: string
  /** Rows can be searched by text. */
  hasSearch?: true
  /** The tab always shows the whole test; it has no filters. */
  isWhole?: true
}

/** The tabs in their order on the screen. A new tab needs one row here, and its contents. */
const rows = [
  {
    name: 'devices',
    label: 'Devices',
    access: null,
    sorts: breakdownSorts,
    usualSort: 'visitors',
  },
  {
    name: 'products',
    label: 'Products',
    access: null,
    sorts: productSorts,
    usualSort: 'revenue',
    second: 'price',
    hasSearch: true,
    isWhole: true,
  },
  {
    name: 'visitors',
    label: 'Visitors',
    access: 'VisitorReporting',
    sorts: breakdownSorts,
    usualSort: 'visitors',
    second: 'country',
    hasSearch: true,
  },
  {
    name: 'channels',
    label: 'Channels',
    access: 'ChannelsReporting',
    sorts: breakdownSorts,
    usualSort: 'visitors',
  },
  {
    name: 'subscriptions',
    label: 'Subscriptions',
    access: 'SubscriptionReporting',
    sorts: breakdownSorts,
    // Each type of order is divided by all visitors, so sorting by visitors would not separate the
    // types.
    usualSort: 'orders',
  },
] as const satisfies readonly Row[]

/** The tabs with their own address. The overview has the report's address. */
export type PartTab = (typeof rows)[number]['name']
export type ReportTab = 'overview' | PartTab

export const partTabs: readonly (Row & { name: PartTab })[] = rows
export const reportTabs: readonly ReportTab[] = ['overview', ...rows.map(({ name }) => name)]

export const tabNamed = (tab: PartTab): Row => partTabs.find(({ name }) => name === tab)!

export const tabLabel = (tab: ReportTab): string =>
  tab === 'overview' ? 'Overview' : tabNamed(tab).label
