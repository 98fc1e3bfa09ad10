import type { StoreStatus } from './store.ts'
import { day } from '../time-units.ts'

/** Length of a usage cycle in days. It does not depend on the plan's billing period. */
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

/** "in 12 days", counted as trial days are; "today" for an instant that has come. */
export function inDays(milliseconds: number): string {
  const days = Math.ceil(milliseconds / day)
  return days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${days} days`
}

/** Days left in the trial, including today: "3 days left". 0 when it is over or never began. */
export const trialDaysLeft = (status: Pick<Times, 'trialEnd'>, now: Date): number =>
  Math.ceil((timeToTrialEnd(status, now) ?? 0) / day)

/** Whether the trial is running. During the trial, visitors are not limited (requirements 12.7). */
export const isOnTrial = (trialEnd: Date | null, now: Date): boolean =>
  trialEnd !== null && now < trialEnd

/**
 * The next instant, after `now`, at which a cycle of `days` days turns. `turn`: one such instant,
 * possibly in the past; null gives null.
 */
export function nextTurn(turn: Date | null, days: number, now: Date): Date | null {
  if (!turn) return null
  const length = days * day
  const passed = Math.max(0, Math.floor((now.getTime() - turn.getTime()) / length) + 1)
  return new Date(turn.getTime() + passed * length)
}
