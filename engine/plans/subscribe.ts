import { askedPlan } from '../../domain/plans/plan-outcome.ts'
import { paths } from '../../domain/paths.ts'
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
import { day, minute } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { StoresTable } from '../db/schema.ts'
import type { CheckDiscount } from './discounts.ts'
import { planOf } from './plans.ts'
import type { SubscriptionRequest } from '../platform/billing.ts'
import { notFound, type Serve } from '../http/routes.ts'

/** Requests for the same plan and code within this time get the same answer. Milliseconds. */
const sameMoment = minute
/**
 * A request to the platform without an answer after this time belongs to a dead process.
 * Milliseconds.
 */
const longestAsking = 15_000
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

  serve('subscribe', async ({ params: { id }, query: { discountCode } }, { storeId, shop }) => {
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
    if (discount && !discount.isValid)
      throw new HttpProblem(400, 'This discount code is not valid.', [
        { field: 'discountCode', message: 'This code is not valid.' },
      ])
    const code = discount && discountApplies(discount, plan.id) ? discountKey(discountCode!) : null
    await requireRoomForAsk(storeId)
    const isLater =
      store.subscription_status === 'Active' && current !== null && isDowngrade(current, plan)
    return {
      confirmationUrl: await confirmationUrl(
        storeId,
        shop,
        code,
        requestOf(store, plan, code === null ? null : discount, isLater),
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
      // A store that is still being set up returns to that. Any other store sees the result on its
      // billing page.
      returnPath: store.onboarded
        ? `${paths.settings('billing')}?${askedPlan}=${encodeURIComponent(plan.id)}`
        : paths.home(),
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
      const now = clock()
      if (await claim(storeId, request.planId, code, now))
        return ask(storeId, shop, code, request, now)
      const asked = await kysely
        .selectFrom('subscription_asks')
        .select('confirmation_url')
        .where('store_id', '=', storeId)
        .where('plan_id', '=', request.planId)
        .where('discount_code', code === null ? 'is' : '=', code)
        .executeTakeFirst()
      if (asked?.confirmation_url) return asked.confirmation_url
    }
    throw new HttpProblem(502, 'The shop has not answered yet. Try again in a moment.')
  }

  async function claim(
    storeId: string,
    planId: string,
    code: string | null,
    now: Date,
  ): Promise<boolean> {
    const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    const ask = { plan_id: planId, discount_code: code, asked_at: now, confirmation_url: null }
    const claimed = await kysely
      .insertInto('subscription_asks')
      .values({ store_id: storeId, ...ask })
      .onConflict(oc =>
        oc
          .column('store_id')
          .doUpdateSet(ask)
          .where(eb =>
            eb.or([
              eb('subscription_asks.plan_id', '!=', planId),
              eb('subscription_asks.discount_code', 'is distinct from', code),
              eb('subscription_asks.asked_at', '<=', ago(sameMoment)),
              eb.and([
                eb('subscription_asks.confirmation_url', 'is', null),
                eb('subscription_asks.asked_at', '<=', ago(longestAsking)),
              ]),
            ]),
          ),
      )
      .returning('store_id')
      .executeTakeFirst()
    return claimed !== undefined
  }

  async function ask(
    storeId: string,
    shop: string,
    code: string | null,
    request: SubscriptionRequest,
    askedAt: Date,
  ): Promise<string> {
    const own = { store_id: storeId, asked_at: askedAt }
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
        await trx
          .updateTable('subscription_asks')
          .set({ confirmation_url: confirmationUrl })
          .where('store_id', '=', own.store_id)
          .where('asked_at', '=', own.asked_at)
          .execute()
      })
      return confirmationUrl
    } catch (error) {
      await kysely
        .deleteFrom('subscription_asks')
        .where('store_id', '=', own.store_id)
        .where('asked_at', '=', own.asked_at)
        .where('confirmation_url', 'is', null)
        .execute()
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
