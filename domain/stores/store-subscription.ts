import { trialDays } from '../plans/plan.ts'
import type { SubscriptionStatus } from './store.ts'
import { cycleDays, isOnTrial } from './store-status.ts'
import { day } from '../time-units.ts'

/** A subscription as the platform reports it. */
export type Subscription = {
  id: string
  planId: string
  status: SubscriptionStatus
  createdAt: string
  trialEndsAt: string | null
  /**
   * End of the paid period or of the trial; for a subscription that has ended, when it ended. Null
   * when it was never active.
   */
  currentPeriodEndsAt: string | null
}

/** The fields of a store that follow from its subscriptions. */
export type Standing = {
  subscriptionId: string | null
  subscriptionStatus: SubscriptionStatus | null
  hasSubscribed: boolean
  planId: string | null
  pendingPlan: string | null
  trialEnd: Date | null
  currentSubscriptionEnd: Date | null
  nextBill: Date | null
  usageReset: Date | null
}

/**
 * Whether a store had a subscription and lost it (the "not subscribed" of the startup rules). Then
 * its tests are suspended and its plan opens nothing.
 */
export const hasLapsed = ({
  subscriptionStatus: s,
  hasSubscribed,
}: Pick<Standing, 'subscriptionStatus' | 'hasSubscribed'>): boolean =>
  hasSubscribed && (s === 'Cancelled' || s === 'Expired' || s === 'Frozen')

/**
 * Computes a store's standing from all its subscriptions at the platform, newest first. The order
 * in which changes were reported does not matter. The newest Active subscription counts. Without
 * one, the last that was ever active has lapsed:
 * its plan is kept, with its status. Without that, the newest gives the status of the first
 * attempt. An older subscription that a newer one has replaced is ignored. An empty list changes
 * nothing: then the store's subscription does not come from the platform.
 */
export function standingOf(
  subscriptions: readonly Subscription[],
  before: Standing,
  now: Date,
): Standing {
  if (subscriptions.length === 0) return before
  const active = subscriptions.find(s => s.status === 'Active')
  const current = active ?? subscriptions.find(s => s.currentPeriodEndsAt !== null)
  const newer = current ? subscriptions.slice(0, subscriptions.indexOf(current)) : subscriptions
  const pending = newer.find(s => s.status === 'Pending' || s.status === 'Accepted')
  const pendingPlan = pending?.planId ?? null
  // No subscription was ever active on the platform, so what the store had from elsewhere stays.
  if (!current)
    return {
      ...before,
      pendingPlan,
      subscriptionStatus: before.hasSubscribed
        ? before.subscriptionStatus
        : subscriptions[0]!.status,
    }

  const trialEnd = current.trialEndsAt
    ? new Date(current.trialEndsAt)
    : earlier(before.trialEnd, now)
  const periodEnd = current.currentPeriodEndsAt ? new Date(current.currentPeriodEndsAt) : null
  return {
    subscriptionId: current.id,
    subscriptionStatus: current.status,
    hasSubscribed: true,
    planId: current.planId,
    pendingPlan,
    trialEnd,
    currentSubscriptionEnd: periodEnd,
    nextBill: active ? periodEnd : null,
    usageReset: usageReset(before, current, trialEnd, now),
  }
}

/**
 * A plan without a trial ends a running trial when it becomes active, which for a downgrade is
 * later than it was requested. The date stays, because a store has only one trial.
 */
const earlier = (trialEnd: Date | null, start: Date): Date | null =>
  trialEnd && trialEnd > start ? start : trialEnd

/**
 * When usage resets next: at the end of the trial, then once per cycle. A new plan that follows
 * without a gap stays in the present cycle, so that a change of plan does not reset the usage. A
 * subscription after a lapse begins a new cycle.
 */
function usageReset(
  before: Standing,
  current: Subscription,
  trialEnd: Date | null,
  now: Date,
): Date | null {
  if (current.status === 'Active' && current.trialEndsAt && isOnTrial(trialEnd, now))
    return trialEnd
  if (
    before.usageReset &&
    (current.status !== 'Active' ||
      current.id === before.subscriptionId ||
      before.subscriptionStatus === 'Active')
  )
    return before.usageReset
  return new Date(now.getTime() + cycleDays * day)
}

/**
 * Trial days for the next subscription. A store has only one trial; when the plan changes during
 * it, the whole days that are left stay.
 */
export const trialDaysFor = (trialEnd: Date | null, hasSubscribed: boolean, now: Date): number => {
  if (trialEnd) return Math.max(0, Math.floor((trialEnd.getTime() - now.getTime()) / day))
  return hasSubscribed ? 0 : trialDays
}
