import type { StoreStatus } from './store.ts'
import { day } from '../time-units.ts'

/** Usage is counted in cycles of this many days, whatever the plan's billing period is. */
export const cycleDays = 30
export const yearDays = 365

type Times = Pick<StoreStatus, 'trialEnd' | 'usageReset' | 'currentSubscriptionEnd'>

/** Milliseconds from now to an instant, never below 0; null when there is no such instant. */
const timeTo = (instant: string | null | undefined, now: Date): number | null =>
  instant ? Math.max(0, Date.parse(instant) - now.getTime()) : null

export const timeToTrialEnd = ({ trialEnd }: Pick<Times, 'trialEnd'>, now: Date): number | null =>
  timeTo(trialEnd, now)
export const timeToUsageReset = (
  { usageReset }: Pick<Times, 'usageReset'>,
  now: Date,
): number | null => timeTo(usageReset, now)
export const timeSubscriptionEnd = (
  { currentSubscriptionEnd }: Pick<Times, 'currentSubscriptionEnd'>,
  now: Date,
): number | null => timeTo(currentSubscriptionEnd, now)

/** Days of the trial that are left, the one under way included: "3 days left". 0 once it is over or was never begun. */
export const trialDaysLeft = (status: Pick<Times, 'trialEnd'>, now: Date): number =>
  Math.ceil((timeToTrialEnd(status, now) ?? 0) / day)

/** Until its last moment. During the trial visitor tracking is unlimited (requirements 12.7). */
export const isOnTrial = (trialEnd: Date | null, now: Date): boolean =>
  trialEnd !== null && now < trialEnd

/** The next turn of a cycle after now; at the very turn it is the one to come. Turns that have passed are counted on from. */
export function nextTurn(turn: Date | null, days: number, now: Date): Date | null {
  if (!turn) return null
  const length = days * day
  const passed = Math.max(0, Math.floor((now.getTime() - turn.getTime()) / length) + 1)
  return new Date(turn.getTime() + passed * length)
}
