import type { SubscriptionStatus } from '../../../../domain/stores/store.ts'
import { day } from '../../../../domain/time-units.ts'
import type { PlatformAddresses } from '../../addresses.ts'
import type { PlatformBilling, PlatformSubscription } from '../../billing.ts'
import { wholeList } from '../client/lists.ts'
import { accepted, problem } from '../client/problems.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import {
  cancelSubscription,
  createSubscription,
  extendTrial,
  subscriptions,
  type SubscriptionsQuery,
} from '../documents/billing.ts'
import { shopAbilities } from '../documents/shop.ts'
import { gid, idOf } from '../client/shopify-ids.ts'

/**
 * Parameter of the page to which Shopify sends the merchant back. Shopify keeps nothing else of
 * ours with a subscription, so it also tells us the plan.
 */
const planParameter = 'plan_id'

/** Subscriptions of a Shopify shop to our own plans, by Shopify's billing API. */
export function shopifyBilling(
  { ask }: ShopifyClient,
  { appUrl }: PlatformAddresses,
): PlatformBilling {
  return {
    createSubscription: async (
      shop,
      { planId, title, price, isAnnual, trialDays, discount, takesEffect, returnPath },
    ) => {
      const returnUrl = new URL(appUrl(shop) + returnPath)
      returnUrl.searchParams.set(planParameter, planId)
      const { plan } = (await ask(shop, shopAbilities, {})).shop
      const { appSubscriptionCreate } = await ask(shop, createSubscription, {
        name: title,
        returnUrl: returnUrl.href,
        trialDays,
        // Nobody can pay in a development store.
        test: plan.partnerDevelopment,
        replacement:
          takesEffect === 'nextCycle' ? 'APPLY_ON_NEXT_BILLING_CYCLE' : 'APPLY_IMMEDIATELY',
        interval: isAnnual ? 'ANNUAL' : 'EVERY_30_DAYS',
        price: `${price}.00`,
        discount:
          discount &&
          (discount.kind === 'percentage'
            ? { value: { percentage: discount.value / 100 } }
            : { value: { amount: `${discount.value}.00` } }),
      })
      const { appSubscription, confirmationUrl } = accepted(appSubscriptionCreate)
      if (!appSubscription || !confirmationUrl) throw problem('nonsense')
      return { id: idOf(appSubscription.id), confirmationUrl }
    },
    subscriptions: async shop => {
      const all = await wholeList(
        async after =>
          (await ask(shop, subscriptions, { after })).currentAppInstallation.allSubscriptions,
      )
      return all
        .map(subscriptionOf)
        .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    },
    cancelSubscription: async (shop, id) => {
      const { appSubscriptionCancel } = await ask(shop, cancelSubscription, {
        id: gid('AppSubscription', id),
      })
      accepted(appSubscriptionCancel)
    },
    extendTrial: async (shop, id, days) => {
      const { appSubscriptionTrialExtend } = await ask(shop, extendTrial, {
        id: gid('AppSubscription', id),
        days,
      })
      accepted(appSubscriptionTrialExtend)
    },
  }
}

const statuses = {
  ACCEPTED: 'Accepted',
  ACTIVE: 'Active',
  CANCELLED: 'Cancelled',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
  FROZEN: 'Frozen',
  PENDING: 'Pending',
} as const satisfies Record<string, SubscriptionStatus>

type Node = SubscriptionsQuery['currentAppInstallation']['allSubscriptions']['nodes'][number]

/** States that only a subscription reaches that was once paid for. */
const onceActive: readonly string[] = ['ACTIVE', 'CANCELLED', 'FROZEN']

/**
 * Shopify does not say when a trial ends: it begins when the merchant approves, within two days of
 * the creation, so the end is at most two days early, never late. Nor does it say when a
 * subscription ended; its trial is over then, so we take the end of that.
 */
function subscriptionOf(one: Node): PlatformSubscription {
  const created = new Date(one.createdAt)
  const trialEnd = new Date(created.getTime() + one.trialDays * day).toISOString()
  const wasActive = onceActive.includes(one.status)
  return {
    id: idOf(one.id),
    planId: URL.parse(one.returnUrl)?.searchParams.get(planParameter) ?? '',
    status: statuses[one.status],
    createdAt: created.toISOString(),
    trialEndsAt: wasActive && one.trialDays > 0 ? trialEnd : null,
    currentPeriodEndsAt: one.currentPeriodEnd ?? (wasActive ? trialEnd : null),
  }
}
