import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem } from '../../../domain/problem.ts'
import { type SubscriptionStatus, subscriptionStatuses } from '../../../domain/stores/store.ts'
import type { PlatformAdapter } from '../adapter.ts'
import type { PlatformBilling, PlatformSubscription } from '../billing.ts'

/** The demo shop's admin API as JSON. */
export type DemoAdminCalls = {
  get: (path: string) => Promise<unknown>
  post: (path: string, body: object) => Promise<unknown>
  put: (path: string, body: object) => Promise<unknown>
  delete: (path: string) => Promise<unknown>
}

const Instant = Type.String({ maxLength: 40 })
const MaybeInstant = Type.Union([Instant, Type.Null()])
const DemoSubscription = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  plan_id: Type.String({ minLength: 1, maxLength: 64 }),
  status: Type.Enum(subscriptionStatuses.map(status => status.toUpperCase())),
  created_at: Instant,
  trial_ends_at: MaybeInstant,
  current_period_ends_at: MaybeInstant,
})
const checkDelivery = Compile(Type.Object({ app_subscription: DemoSubscription }))
const checkAll = Compile(Type.Array(DemoSubscription))
const checkNew = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    confirmation_url: Type.String({ pattern: '^https?://' }),
  }),
)

/** Implements billing for the demo shop, and the end of our installation there. */
export function demoBilling(
  admin: DemoAdminCalls,
): PlatformBilling & Pick<PlatformAdapter, 'parseSubscription' | 'uninstall'> {
  const path = '/admin/api/app_subscriptions'
  return {
    createSubscription: async (
      _,
      { planId, title, price, isAnnual, trialDays, discount, takesEffect, returnPath },
    ) => {
      const made = await admin.post(`${path}.json`, {
        plan_id: planId,
        name: title,
        price,
        interval: isAnnual ? 'ANNUAL' : 'EVERY_30_DAYS',
        trial_days: trialDays,
        return_path: returnPath,
        discount:
          discount &&
          (discount.kind === 'percentage'
            ? { percentage: discount.value }
            : { amount: discount.value }),
        replacement_behavior:
          takesEffect === 'nextCycle' ? 'APPLY_ON_NEXT_BILLING_CYCLE' : 'APPLY_IMMEDIATELY',
      })
      if (!checkNew.Check(made)) throw nonsense()
      return { id: made.id, confirmationUrl: made.confirmation_url }
    },
    subscriptions: async () => {
      const all = await admin.get(`${path}.json`)
      if (!checkAll.Check(all)) throw nonsense()
      return all.map(subscriptionOf)
    },
    cancelSubscription: async (_, id) =>
      void (await admin.delete(`${path}/${encodeURIComponent(id)}`)),
    extendTrial: async (_, id, days) =>
      void (await admin.put(`${path}/${encodeURIComponent(id)}/trial`, { days })),
    parseSubscription: body => {
      if (!checkDelivery.Check(body)) {
        const field =
          checkDelivery.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') ||
          'app_subscription'
        throw new HttpProblem(400, `The subscription’s ${field} is not valid.`, [
          { field, message: 'Is not valid.' },
        ])
      }
      return subscriptionOf(body.app_subscription)
    },
    uninstall: async () => void (await admin.post('/admin/api/uninstall', {})),
  }
}

function subscriptionOf(one: Type.Static<typeof DemoSubscription>): PlatformSubscription {
  return {
    id: one.id,
    planId: one.plan_id,
    status: statusOf.get(one.status)!,
    createdAt: one.created_at,
    trialEndsAt: one.trial_ends_at,
    currentPeriodEndsAt: one.current_period_ends_at,
  }
}

const statusOf = new Map<string, SubscriptionStatus>(
  subscriptionStatuses.map(status => [status.toUpperCase(), status]),
)
const nonsense = () => new HttpProblem(502, 'The shop’s answer is not a subscription.')
