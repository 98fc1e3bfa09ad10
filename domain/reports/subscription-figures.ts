import type { PerArm } from '../arm.ts'
import type { BreakdownRow } from './breakdown.ts'
import { plainDifference, plainMissing } from '../drafts/pictures/plain-difference.ts'

/** The figures of the subscriptions tab, in the order they stand. */
export const subscriptionFigureNames = [
  'conversionRate',
  'revenuePerVisitor',
  'shareOfOrders',
  'orderValue',
  'unitsPerOrder',
] as const
export type SubscriptionFigureName = (typeof subscriptionFigureNames)[number]
export type SubscriptionFigure = {
  /** Rates are fractions, money is in minor units, units are pieces an order. Null: nothing to divide by. */
  arms: PerArm<number | null>
  /** As a share of control; null until there are enough first orders (plain-difference.ts). */
  difference: number | null
}
/** What an arm's figures are made of. */
export type SubscriptionCounts = {
  visitors: number
  /** First orders of a subscription; revenue in minor units and pieces are theirs. */
  orders: number
  revenue: number
  units: number
  /** All orders that count: renewals come by themselves. */
  allOrders: number
}
export type SubscriptionFigures = {
  counts: PerArm<SubscriptionCounts>
  /** What the gates of a difference still want; the same for all five. */ missing: ReturnType<
    typeof plainMissing
  >
  figures: Record<SubscriptionFigureName, SubscriptionFigure>
}
type Rows = readonly Pick<BreakdownRow, 'value' | 'arms'>[]

/**
 * How both arms sell subscriptions, from a test's rows by type of order. A conversion is the first order of a
 * subscription; renewals are in no figure. Null when no row tells how many visitors there are.
 */
export function subscriptionFigures(rows: Rows): SubscriptionFigures | null {
  // Every type stands against all visitors of its arm.
  const [any] = rows
  if (!any) return null
  const counts: PerArm<SubscriptionCounts> = [
    countsOf(rows, 0, any.arms[0].visitors),
    countsOf(rows, 1, any.arms[1].visitors),
  ]
  const figure = (of: (counts: SubscriptionCounts) => number | null): SubscriptionFigure => {
    const arms: PerArm<number | null> = [of(counts[0]), of(counts[1])]
    return { arms, difference: plainDifference(arms, [gated(counts[0]), gated(counts[1])]) }
  }
  return {
    counts,
    missing: plainMissing([gated(counts[0]), gated(counts[1])]),
    figures: {
      conversionRate: figure(({ orders, visitors }) => share(orders, visitors)),
      revenuePerVisitor: figure(({ revenue, visitors }) => share(revenue, visitors)),
      shareOfOrders: figure(({ orders, allOrders }) => share(orders, allOrders)),
      orderValue: figure(({ revenue, orders }) => share(revenue, orders)),
      unitsPerOrder: figure(({ units, orders }) => share(units, orders)),
    },
  }
}

const gated = ({ visitors, orders }: SubscriptionCounts) => ({ visitors, conversions: orders })

function countsOf(rows: Rows, arm: 0 | 1, visitors: number): SubscriptionCounts {
  const of = (type: string) => rows.find(({ value }) => value === type)?.arms[arm]
  const { orders = 0, revenue = 0, units = 0 } = of('subscription') ?? {}
  return { visitors, orders, revenue, units, allOrders: orders + (of('oneTime')?.orders ?? 0) }
}

const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null)
