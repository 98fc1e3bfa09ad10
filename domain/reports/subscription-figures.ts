import type { PerArm } from '../arm.ts'
import type { BreakdownRow } from './breakdown.ts'
import { plainDifference, plainMissing } from '../drafts/pictures/plain-difference.ts'

/** The figures of the subscriptions tab, in their order on the screen. */
export const subscriptionFigureNames = [
  'conversionRate',
  'revenuePerVisitor',
  'shareOfOrders',
  'orderValue',
  'unitsPerOrder',
] as const
export type SubscriptionFigureName = (typeof subscriptionFigureNames)[number]
export type SubscriptionFigure = {
  /**
   * Rates are fractions, money is in minor units, units are pieces per order. Null with nothing to
   * divide by.
   */
  arms: PerArm<number | null>
  /** Relative to the control; null until there are enough first orders (plain-difference.ts). */
  difference: number | null
}
/** The counts from which an arm's figures are computed. */
export type SubscriptionCounts = {
  visitors: number
  /**
   * First orders of a subscription. `revenue` (minor units) and `units` (pieces) are of these
   * orders.
   */
  orders: number
  revenue: number
  units: number
  /**
   * First orders of subscriptions and one-time orders. Renewals do not count, because they happen
   * automatically.
   */
  allOrders: number
}
export type SubscriptionFigures = {
  counts: PerArm<SubscriptionCounts>
  /** What the data gates of a difference still need; the same for all five figures. */
  missing: ReturnType<typeof plainMissing>
  figures: Record<SubscriptionFigureName, SubscriptionFigure>
}
type Rows = readonly Pick<BreakdownRow, 'value' | 'arms'>[]

/**
 * The subscription figures of both arms, from a test's rows by type of order. A conversion is the
 * first order of a subscription. Renewals are in no figure. Null without any row, because then the
 * number of visitors is unknown.
 */
export function subscriptionFigures(rows: Rows): SubscriptionFigures | null {
  // Every row has all visitors of its arm.
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
