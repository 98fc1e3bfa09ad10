import type { Subscription } from '../../domain/stores/store-subscription.ts'

export type SubscriptionRequest = {
  /** Ours; the platform gives it back with every word about this subscription. */
  planId: string
  title: string
  /** Whole US dollars per billing period, before any discount. */
  price: number
  isAnnual: boolean
  trialDays: number
  discount: { kind: 'percentage' | 'fixed'; value: number } | null
  /** A downgrade waits for the next billing cycle. */
  takesEffect: 'immediately' | 'nextCycle'
  /** Page of ours that the merchant is sent to after approving or declining, within the shop's admin: "/settings/billing". */
  returnPath: string
}
export type PlatformSubscription = Subscription

export type PlatformBilling = {
  /** A subscription that the merchant has yet to approve at `confirmationUrl`. */
  createSubscription: (
    shop: string,
    request: SubscriptionRequest,
  ) => Promise<{ id: string; confirmationUrl: string }>
  /** Newest first. */
  subscriptions: (shop: string) => Promise<PlatformSubscription[]>
  cancelSubscription: (shop: string, id: string) => Promise<void>
  /** Moves the end of a running trial. Days, at least 1. */
  extendTrial: (shop: string, id: string, days: number) => Promise<void>
  /** Of an app_subscriptions/update delivery; throws HttpProblem 400. */
  parseSubscription: (body: unknown) => PlatformSubscription
}
