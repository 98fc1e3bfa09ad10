import type { Capability } from '../access.ts'
import { breakdownSorts, type BreakdownSort, productSorts, type ProductSort } from './breakdown.ts'

/** What an order of a tab's lists can be called. */
export type TabSort = BreakdownSort | ProductSort

/** A tab of the report beside its overview. What it shows is drawn by `contents` of the app (server/reports/report-tabs.ts), which the compiler holds to have every name. */
type Row = {
  /** As its address ends. */
  name: string
  label: string
  /** It is closed without it, and then says what it is and what opens it. */
  access: Capability | null
  /** The orders its lists may have, and the one they have unless another is asked for. */
  sorts: readonly TabSort[]
  usualSort: TabSort
  /** What an address calls the second list, where it has one. Each list turns its own pages. */
  second?: string
  /** Rows are found by text. */
  hasSearch?: true
  /** It shows all of a test, and narrows to no part. */
  isWhole?: true
}

/** The tabs in the order they stand. A new tab is one row, and its contents. */
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
    // Every type of order stands against all visitors, so that their number tells no type from another.
    usualSort: 'orders',
  },
] as const satisfies readonly Row[]

/** A tab that has an address of its own: the overview is the report itself. */
export type PartTab = (typeof rows)[number]['name']
export type ReportTab = 'overview' | PartTab

export const partTabs: readonly (Row & { name: PartTab })[] = rows
export const reportTabs: readonly ReportTab[] = ['overview', ...rows.map(({ name }) => name)]

export const tabNamed = (tab: PartTab): Row => partTabs.find(({ name }) => name === tab)!

export const tabLabel = (tab: ReportTab): string =>
  tab === 'overview' ? 'Overview' : tabNamed(tab).label
