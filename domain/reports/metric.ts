import { goals, type Goal } from './goal.ts'
import type { ArmTotals } from './goal-result.ts'

/**
 * The twelve metrics, in their order (requirements 8.16): what each counts, and what it is divided
 * by. Clicks, add-to-carts and conversions count visitors who did it at least once. Money is in
 * minor units; rates are fractions.
 */
export type Metric =
  | 'Sessions'
  | 'Orders'
  | 'Revenue'
  | 'Clicks'
  | 'AddToCarts'
  | 'ConversionRate'
  | 'AverageOrderValue'
  | 'RevenuePerSession'
  | 'ClickThroughRate'
  | 'BounceRate'
  | 'AddToCartRate'
  | 'Conversions'
type Figure = (totals: ArmTotals) => number
type Definition = {
  label: string
  unit: 'count' | 'rate' | 'money'
  counts: Figure
  per: Figure | null
  goal: Goal | null
}

const sessions: Figure = a => a.sessions,
  orders: Figure = a => a.orders,
  revenue: Figure = a => a.revenue
const clickers: Figure = a => a.clickers,
  adders: Figure = a => a.adders,
  buyers: Figure = a => a.buyers,
  bounces: Figure = a => a.bounces
const visitors: Figure = a => a.visitors
const count = (label: string, counts: Figure, unit: 'count' | 'money' = 'count'): Definition => ({
  label,
  unit,
  counts,
  per: null,
  goal: null,
})
const ofGoal = (goal: Goal, counts: Figure, per: Figure): Definition => ({
  label: goals[goal].label,
  unit: goals[goal].money ? 'money' : 'rate',
  counts,
  per,
  goal,
})

export const metrics: Record<Metric, Definition> = {
  Sessions: count('Sessions', sessions),
  Orders: count('Orders', orders),
  Revenue: count('Revenue', revenue, 'money'),
  Clicks: count('Clicks', clickers),
  AddToCarts: count('Add-to-carts', adders),
  ConversionRate: ofGoal('ConversionRate', buyers, visitors),
  AverageOrderValue: ofGoal('AverageOrderValue', revenue, orders),
  RevenuePerSession: ofGoal('RevenuePerSession', revenue, visitors),
  ClickThroughRate: ofGoal('ClickThroughRate', clickers, visitors),
  BounceRate: { label: 'Bounce rate', unit: 'rate', counts: bounces, per: visitors, goal: null },
  AddToCartRate: ofGoal('AddToCartRate', adders, visitors),
  Conversions: count('Conversions', buyers),
}
export const metricNames = Object.keys(metrics) as [Metric, ...Metric[]]
export const isMetric = (name: string): name is Metric => Object.hasOwn(metrics, name)
/** The metric's name in addresses of the app: "bounce-rate". */
export const metricSlug = (metric: Metric): string =>
  metrics[metric].label.toLowerCase().replaceAll(' ', '-')
export const metricOfSlug = (slug: string): Metric | null =>
  metricNames.find(name => metricSlug(name) === slug) ?? null

/** The value of a metric; null with nothing to divide by. */
export function metricValue(metric: Metric, totals: ArmTotals): number | null {
  const { counts, per } = metrics[metric]
  const by = per?.(totals) ?? 1
  return by === 0 ? null : counts(totals) / by
}
