import * as Type from 'typebox'
import { planLevelOf, planLevels } from './plan-level.ts'

export const unlimitedVisitors = 9_999_999
/** Stands for a price that is agreed in person; shown as "Custom". */
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
/** Of a store's first subscription. Days. */
export const trialDays = 14

export const Plan = Type.Object({
  id: Type.String(),
  level: Type.Integer({
    minimum: Math.min(...Object.values(planLevels)),
    maximum: Math.max(...Object.values(planLevels)),
  }),
  title: Type.String(),
  /** Monthly visitors. */
  limit: Type.Integer(),
  /** Whole US dollars a billing period. */
  price: Type.Number(),
  isAnnual: Type.Boolean(),
  requireAppointment: Type.Boolean(),
  /** Only these are offered; a store may be on another. */
  available: Type.Boolean(),
})
export type Plan = Type.Static<typeof Plan>

/** "100k", "2M", "1M+" for unlimited (requirements 6.4, 6.5). */
export function formatLimit(limit: number): string {
  if (limit === unlimitedVisitors) return '1M+'
  return limit >= 1_000_000 ? `${limit / 1_000_000}M` : `${limit / 1000}k`
}

/** "Core", "Advanced" or "Pro". Grandfathered has no name: asking for it logs a warning and gives "Unknown" (requirements 25.16). */
export function planLevelName(level: number, warn: (message: string) => void): string {
  const known = planLevelOf(level)
  if (known?.features) return known.name
  warn(`The name of plan level ${level}${known ? ` (${known.name})` : ''} was asked for.`)
  return 'Unknown'
}

/** Lower limit, annual to monthly, or lower level (requirements 12.4): it waits for the next billing cycle. */
export const isDowngrade = (
  from: Pick<Plan, 'level' | 'limit' | 'isAnnual'>,
  to: Pick<Plan, 'level' | 'limit' | 'isAnnual'>,
): boolean => to.limit < from.limit || (from.isAnnual && !to.isAnnual) || to.level < from.level
