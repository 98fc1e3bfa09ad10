import type { Subscription } from '../../domain/stores/store-subscription.ts'

export type SubscriptionRequest = {
  /** Our id. The platform returns it with every message about this subscription. */
  planId: string
  title: string
  /** Whole US dollars per billing period, before any discount. */
  price: number
  isAnnual: boolean
  trialDays: number
  discount: { kind: 'percentage' | 'fixed'; value: number } | null
  /** A downgrade waits for the next billing cycle. */
  takesEffect: 'immediately' | 'nextCycle'
  /**
   * The page of ours, in the shop's admin, to which the platform sends the merchant after they
   * approve or decline: "/settings/billing".
   */
  returnPath: string
}
export type PlatformSubscription = Subscription

export type PlatformBilling = {
  /** Creates a subscription that the merchant must still approve at `confirmationUrl`. */
  createSubscription: (
    shop: string,
    request: SubscriptionRequest,
  ) => Promise<{ id: string; confirmationUrl: string }>
  /** Newest first. */
  subscriptions: (shop: string) => Promise<PlatformSubscription[]>
  cancelSubscription: (shop: string, id: string) => Promise<void>
  /** Moves the end of a running trial by `days`, at least 1. */
  extendTrial: (shop: string, id: string, days: number) => Promise<void>
}
