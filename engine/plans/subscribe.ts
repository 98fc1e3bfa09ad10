import { planReturn } from '../../domain/destination.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import {
  discountApplies,
  type DiscountCheck,
  discountKey,
  discountTypes,
} from '../../domain/plans/discount.ts'
import { formatLimit, isDowngrade, type Plan } from '../../domain/plans/plan.ts'
import { mayRepick } from '../../domain/plans/plan-card.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { SubscriptionStatus } from '../../domain/stores/store.ts'
import { trialDaysFor } from '../../domain/stores/store-subscription.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { day } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { StoresTable } from '../db/schema.ts'
import { type CheckDiscount, invalidCode, requireRoom } from './discounts.ts'
import { planOf } from './plans.ts'
import {
  answerAsk,
  answeredAsk,
  type Ask,
  claimAsk,
  dropAsk,
  longestAsking,
} from './subscription-asks.ts'
import type { SubscriptionRequest } from '../platform/billing.ts'
import { notFound, type Serve } from '../http/routes.ts'

const lookEvery = 100

/**
 * Serves the request for a new subscription, for a first plan and for any other. The merchant
 * approves it on the platform.
 */
export function subscribe(
  serve: Serve,
  context: EngineContext,
  checkDiscount: CheckDiscount,
): void {
  const {
    db: { kysely },
    clock,
    platform,
  } = context

  serve('subscribe', async ({ params: { id }, query }, { storeId, shop }) => {
    const { discountCode } = query
    const store = await kysely
      .selectFrom('stores')
      .selectAll()
      .where('store_id', '=', storeId)
      .executeTakeFirst()
    if (!store) throw notFound('store')
    const plan = await planBy(id)
    if (!plan) throw notFound('plan')
    const current = store.plan_id ? await planBy(store.plan_id) : null
    const refusal = refused(store, plan, clock())
    if (refusal) throw new HttpProblem(409, refusal)
    const discount = discountCode === undefined ? null : await checkDiscount(storeId, discountCode)
    // Refuse, instead of ignoring the code: the merchant must not be asked to approve another price
    // than the one shown.
    if (discount && !discount.isValid) throw invalidCode()
    const code = discount && discountApplies(discount, plan.id) ? discountKey(discountCode!) : null
    await requireRoomForAsk(storeId)
    const isLater =
      store.subscription_status === 'Active' && current !== null && isDowngrade(current, plan)
    return {
      confirmationUrl: await confirmationUrl(
        storeId,
        shop,
        code,
        requestOf(store, plan, code === null ? null : discount, isLater, query.from),
      ),
    }
  })

  /**
   * Throws HttpProblem 409 when the store has too many pending subscriptions of the last day. Each
   * request creates a row at the platform and one here.
   */
  async function requireRoomForAsk(storeId: string): Promise<void> {
    const { count } = await kysely
      .selectFrom('subscriptions')
      .select(eb => eb.fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .where('status', '=', 'Pending')
      .where('created_at', '>', new Date(clock().getTime() - day))
      .executeTakeFirstOrThrow()
    if (Number(count) >= quotas.pendingPlans) throw new HttpProblem(409, quotaWords.pendingPlans)
  }

  async function planBy(planId: string): Promise<Plan | null> {
    const row = await kysely
      .selectFrom('plans')
      .selectAll()
      .where('plan_id', '=', planId)
      .executeTakeFirst()
    return row ? planOf(row) : null
  }

  function requestOf(
    store: Selectable<StoresTable>,
    plan: Plan,
    discount: DiscountCheck | null,
    isLater: boolean,
    from: string | undefined,
  ): SubscriptionRequest {
    return {
      planId: plan.id,
      title: `${plan.title} ${formatLimit(plan.limit)}`,
      price: plan.price,
      isAnnual: plan.isAnnual,
      // A plan for the next cycle begins after the trial.
      trialDays: isLater ? 0 : trialDaysFor(store.trial_end, store.has_subscribed, clock()),
      discount: discount && {
        kind: discount.valueType === discountTypes.Percentage ? 'percentage' : 'fixed',
        value: discount.value,
      },
      takesEffect: isLater ? 'nextCycle' : 'immediately',
      returnPath: planReturn(store, plan, from),
    }
  }

  /**
   * Returns the address where the merchant approves. Asks the platform only once for requests
   * within the same moment, even from several processes.
   */
  async function confirmationUrl(
    storeId: string,
    shop: string,
    code: string | null,
    request: SubscriptionRequest,
  ): Promise<string> {
    for (
      const giveUpAt = performance.now() + longestAsking;
      performance.now() < giveUpAt;
      await wait(lookEvery)
    ) {
      const { planId, returnPath } = request
      const own: Ask = { storeId, planId, code, returnPath, at: clock() }
      const isClaimed = await kysely.transaction().execute(async trx => {
        if (code !== null) await requireRoom(trx, own.at, storeId, code)
        return claimAsk(trx, own)
      })
      if (isClaimed) return ask(shop, own, request)
      const answered = await answeredAsk(kysely, own)
      if (answered !== null) return answered
    }
    throw new HttpProblem(502, 'The shop has not answered yet. Try again in a moment.')
  }

  async function ask(shop: string, own: Ask, request: SubscriptionRequest): Promise<string> {
    const { storeId, code } = own
    try {
      const { id, confirmationUrl } = await platform.createSubscription(shop, request)
      const now = clock()
      await kysely.transaction().execute(async trx => {
        await trx
          .insertInto('subscriptions')
          .values({
            store_id: storeId,
            subscription_id: id,
            plan_id: request.planId,
            status: 'Pending',
            discount_code: code,
            trial_ends_at: null,
            current_period_ends_at: null,
            created_at: now,
            updated_at: now,
          })
          .onConflict(oc =>
            oc.columns(['store_id', 'subscription_id']).doUpdateSet({ discount_code: code }),
          )
          .execute()
        // Skipped when the subscription has been approved and reported in the meantime.
        await trx
          .updateTable('stores')
          .set(eb => ({
            pending_plan: request.planId,
            updated_at: now,
            subscription_status: eb
              .case()
              .when('has_subscribed', '=', true)
              .then(eb.ref('subscription_status'))
              .else('Pending' as const)
              .end()
              .$castTo<SubscriptionStatus | null>(),
          }))
          .where('store_id', '=', storeId)
          .where('subscription_id', 'is distinct from', id)
          .execute()
        await answerAsk(trx, own, confirmationUrl)
      })
      return confirmationUrl
    } catch (error) {
      await dropAsk(kysely, own)
      throw error
    }
  }
}

/** Returns the reason why this store cannot subscribe to this plan; null when it can. */
function refused(store: Selectable<StoresTable>, plan: Plan, now: Date): string | null {
  if (store.status !== 'installed') return 'The app is uninstalled.'
  if (!plan.available) return 'This plan is not offered.'
  if (plan.requireAppointment)
    return 'This plan is agreed in person: ask for a custom plan, and we will talk.'
  if (store.subscription_status === 'Frozen')
    return 'The platform has frozen the subscription. It continues automatically once the shop’s own bill is paid.'
  const hasEnded =
    store.subscription_status === 'Cancelled' || store.subscription_status === 'Expired'
  const again = {
    isReinstall: store.reinstall,
    pendingPlan: store.pending_plan,
    currentSubscriptionEnd: store.current_subscription_end,
    now,
  }
  if (plan.id === store.plan_id && !hasEnded && !mayRepick(again))
    return 'The store is on this plan.'
  return null
}
