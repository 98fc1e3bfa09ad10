import type { ComponentChildren } from 'preact'
import type { Breakdown, BreakdownSort } from '../../../domain/reports/breakdown.ts'
import type { Test } from '../../../domain/tests/ab-test.ts'
import type { Output } from '../../../domain/api/contract.ts'
import { goals, type Goal } from '../../../domain/reports/goal.ts'
import type { TestSummary } from '../../../domain/reports/summary.ts'
import type { ListName, TabState } from './report-tab-links.tsx'

/** One page of a breakdown's rows, as the engine answers it. */
export type BreakdownList = Output<'byDevice'>

/** A column of figures; `sort` is how the list is sorted by it. */
export type Column = {
  sort: Exclude<BreakdownSort, 'value' | 'lift' | 'chanceToWin'>
  label: string
  title?: string
  goal?: Goal
  unit: 'count' | 'rate' | 'money'
}

/** A column that counts. */
export const count = (sort: Column['sort'], label: string): Column => ({
  sort,
  label,
  unit: 'count',
})

const ofGoal = (sort: Column['sort'], goal: Goal): Column => ({
  sort,
  label: goals[goal].short,
  title: goals[goal].label,
  goal,
  unit: goals[goal].money ? 'money' : 'rate',
})

const revenue: Column = { sort: 'revenue', label: 'Revenue', unit: 'money' }

const [conversionRate, orderValue, perVisitor] = [
  ofGoal('conversionRate', 'ConversionRate'),
  ofGoal('averageOrderValue', 'AverageOrderValue'),
  ofGoal('revenuePerSession', 'RevenuePerSession'),
]

const ofVisitors: Column[] = [
  count('visitors', 'Visitors'),
  count('orders', 'Orders'),
  revenue,
  conversionRate,
  orderValue,
  perVisitor,
  ofGoal('clickThroughRate', 'ClickThroughRate'),
  ofGoal('addToCartRate', 'AddToCartRate'),
  {
    sort: 'bounceRate',
    label: 'Bounce',
    title: 'Visitors who saw one page and left',
    unit: 'rate',
  },
]

type Look = { title: string; head: string; noun: [one: string, many: string]; columns: Column[] }

/** What each breakdown is called, and its columns. */
export const looks: Record<Breakdown, Look> = {
  device: { title: 'By device', head: 'Device', noun: ['device', 'devices'], columns: ofVisitors },
  channel: {
    title: 'By channel',
    head: 'Channel',
    noun: ['channel', 'channels'],
    columns: ofVisitors,
  },
  visitors: {
    title: 'New and returning visitors',
    head: 'Kind',
    noun: ['kind of visitor', 'kinds of visitors'],
    columns: ofVisitors,
  },
  referrer: { title: 'Referrers', head: 'Site', noun: ['site', 'sites'], columns: ofVisitors },
  country: {
    title: 'By country',
    head: 'Country',
    noun: ['country', 'countries'],
    columns: ofVisitors,
  },
  // A type of order has no visitors, clicks or bounces of its own.
  orderType: {
    title: 'By type of order',
    head: 'Type',
    noun: ['type of order', 'types of order'],
    columns: [
      count('orders', 'Orders'),
      count('conversions', 'Buyers'),
      count('units', 'Units'),
      revenue,
      conversionRate,
      orderValue,
      perVisitor,
    ],
  },
}

/**
 * What a list's figures do not contain: whether the arms may be compared, what was capped, and
 * which facts an imported file lacks.
 */
export type TabTest = Pick<Test, 'isImported' | 'notInFile'> & {
  summary: Pick<TestSummary, 'split' | 'cappedOrders' | 'orderCap'>
}

/** The properties of a breakdown. */
export type BreakdownProps = {
  breakdown: Breakdown
  state: TabState
  list: BreakdownList
  currency: string
  /** Which of the tab's lists this is; null for a list that is too short to be sorted. */
  name?: ListName | null
  test: TabTest
  /** The search field above the table. */
  search?: ComponentChildren
}
