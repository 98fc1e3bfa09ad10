import type { SubscriptionStatus } from '../../domain/store.ts'

export type SubscriptionRequest = {
  /** Ours; the platform gives it back with every word about this subscription. */
  planId: string
  title: string
  /** Whole US dollars per billing period, before any discount. */
  price: number
  isAnnual: boolean
  trialDays: number
  discount: { kind: 'percentage' | 'fixed'; value: number } | null
  /** A downgrade waits for the next billing cycle (platform.md §1.4). */
  takesEffect: 'immediately' | 'nextCycle'
  /** Where the merchant is sent after approving or declining. */
  returnUrl: string
}
export type PlatformSubscription = {
  id: string
  planId: string
  status: SubscriptionStatus
  createdAt: string
  trialEndsAt: string | null
  currentPeriodEndsAt: string | null
}

export type PlatformBilling = {
  /** A subscription that the merchant has yet to approve at `confirmationUrl`. */
  createSubscription: (shop: string, request: SubscriptionRequest) => Promise<{ id: string; confirmationUrl: string }>
  /** Newest first. */
  subscriptions: (shop: string) => Promise<PlatformSubscription[]>
  cancelSubscription: (shop: string, id: string) => Promise<void>
  /** Moves the end of a running trial. Days, at least 1. */
  extendTrial: (shop: string, id: string, days: number) => Promise<void>
  /** Of an app_subscriptions/update delivery; throws HttpProblem 400. */
  parseSubscription: (body: unknown) => PlatformSubscription
}
