import { trialDays } from '../plans/plan.ts'
import type { SubscriptionStatus } from './store.ts'
import { cycleDays, isOnTrial } from './store-status.ts'
import { day } from '../time-units.ts'

/** A subscription as the platform tells about it. */
export type Subscription = {
  id: string
  planId: string
  status: SubscriptionStatus
  createdAt: string
  trialEndsAt: string | null
  /** End of the paid period, or of the trial; of one that has ended the instant it ended. Null: it was never active. */
  currentPeriodEndsAt: string | null
}

/** What of a store follows from its subscriptions. */
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

/** Had a subscription and lost it (the "not subscribed" of the startup rules): tests are suspended, no plan opens anything. */
export const hasLapsed = ({
  subscriptionStatus: s,
  hasSubscribed,
}: Pick<Standing, 'subscriptionStatus' | 'hasSubscribed'>): boolean =>
  hasSubscribed && (s === 'Cancelled' || s === 'Expired' || s === 'Frozen')

/**
 * Where a store stands by all of its platform's subscriptions, newest first, whatever order their changes were told
 * in. The newest Active one counts. Without one, the last that was ever active is what lapsed: its plan is kept, and
 * the status says so. Without that, the newest tells how the first attempt went. An older one that a newer has
 * replaced says nothing; neither does an empty list, which is a store whose subscription is not the platform's.
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
  // Nothing was ever active on the platform: what the store had from elsewhere continues.
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
    : earlier(before.trialEnd, new Date(current.createdAt))
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

/** A plan without a trial ends the one that was under way; that there was one is not forgotten. */
const earlier = (trialEnd: Date | null, start: Date): Date | null =>
  trialEnd && trialEnd > start ? start : trialEnd

/**
 * Usage resets when the trial ends, and every cycle from then on. A plan that follows without a gap continues in the
 * cycle that is under way, so that changing plans is no way to begin it again; coming back after a lapse begins one.
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
 * Days of trial for the next subscription: a store has one trial in its life, and a plan changed during it keeps what
 * is left in whole days.
 */
export const trialDaysFor = (trialEnd: Date | null, hasSubscribed: boolean, now: Date): number => {
  if (trialEnd) return Math.max(0, Math.floor((trialEnd.getTime() - now.getTime()) / day))
  return hasSubscribed ? 0 : trialDays
}
