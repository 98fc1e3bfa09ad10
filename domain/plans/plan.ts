import * as Type from 'typebox'
import { planLevelOf, planLevels } from './plan-level.ts'

export const unlimitedVisitors = 9_999_999
/** Stored as the price when it is agreed in person; shown as "Custom". */
export const customPrice = 99_999_999
/** The plan chooser's visitor slider (requirements 26.7). */
export const visitorSteps = [
  50_000,
  100_000,
  250_000,
  500_000,
  1_000_000,
  unlimitedVisitors,
] as const
export const defaultVisitorStep = 100_000
/** Length of the free trial of a store's first subscription, in days. */
export const trialDays = 14

const levels = Object.values(planLevels)
const minimum = Math.min(...levels),
  maximum = Math.max(...levels)
export const Plan = Type.Object({
  id: Type.String(),
  level: Type.Integer({ minimum, maximum }),
  title: Type.String(),
  /** Monthly visitors. */
  limit: Type.Integer(),
  /** Whole US dollars per billing period. */
  price: Type.Number(),
  isAnnual: Type.Boolean(),
  requireAppointment: Type.Boolean(),
  /**
   * Whether merchants can choose the plan. A store can be on a plan that is no longer available.
   */
  available: Type.Boolean(),
})
export type Plan = Type.Static<typeof Plan>

/** "100k", "2M", "1M+" for unlimited (requirements 6.4, 6.5). */
export function formatLimit(limit: number): string {
  if (limit === unlimitedVisitors) return '1M+'
  return limit >= 1_000_000 ? `${limit / 1_000_000}M` : `${limit / 1000}k`
}

/**
 * "Core", "Advanced" or "Pro". Grandfathered has no name for merchants: it logs a warning and
 * returns "Unknown" (requirements 25.16).
 */
export function planLevelName(level: number, warn: (message: string) => void): string {
  const known = planLevelOf(level)
  if (known?.features) return known.name
  warn(`The name of plan level ${level}${known ? ` (${known.name})` : ''} was asked for.`)
  return 'Unknown'
}

/**
 * Whether a change is a downgrade: a lower limit, annual to monthly, or a lower level
 * (requirements 12.4). A downgrade waits for the next billing cycle.
 */
export const isDowngrade = (
  from: Pick<Plan, 'level' | 'limit' | 'isAnnual'>,
  to: Pick<Plan, 'level' | 'limit' | 'isAnnual'>,
): boolean => to.limit < from.limit || (from.isAnnual && !to.isAnnual) || to.level < from.level
