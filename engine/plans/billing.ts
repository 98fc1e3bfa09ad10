import { sql, type Selectable } from 'kysely'
import { isOnTrial } from '../../domain/stores/store-status.ts'
import { hasLapsed, type Standing, standingOf } from '../../domain/stores/store-subscription.ts'
import type { EngineContext } from '../context.ts'
import type { StoresTable } from '../db/schema.ts'
import type { PlatformSubscription } from '../platform/billing.ts'
import { checkLimitSoon } from '../tests/limit-holds.ts'
import { resumeSuspended, suspendTests } from '../tests/test-suspension.ts'
import { type EventHandlers, UnknownShop } from '../orders/webhooks.ts'

/**
 * Serves the platform's webhooks about subscriptions. They arrive late, twice and out of order. So
 * a delivery is only a reason to ask the platform, and only its answer counts. A repeated delivery
 * does no harm and need not be recorded.
 */
export function billingEvents(context: EngineContext): Pick<EventHandlers, 'subscriptionChanged'> {
  return {
    subscriptionChanged: async (delivery, body, platform) => {
      platform.parseSubscription(body)
      const store = await context.db.kysely
        .selectFrom('stores')
        .select('store_id')
        .where('shop', '=', delivery.shop)
        .executeTakeFirst()
      if (!store) throw new UnknownShop()
      await syncBilling(context, store.store_id)
    },
  }
}

/** A plan was asked for while we read the platform. The answer may be older, and not name it. */
class AskedMeanwhile extends Error {}

/**
 * Updates a store's plan, trial and dates from its subscriptions on the platform. Then suspends or
 * resumes its tests to match.
 */
export async function syncBilling(context: EngineContext, storeId: string): Promise<void> {
  for (;;)
    try {
      return await syncOnce(context, storeId)
    } catch (error) {
      if (!(error instanceof AskedMeanwhile)) throw error
    }
}

async function syncOnce(context: EngineContext, storeId: string): Promise<void> {
  const {
    db: { kysely },
    platform,
    clock,
    log,
  } = context
  const {
    rows: [begun],
  } = await sql<{
    at: Date
    shop: string
    known: string[]
  }>`select clock_timestamp() as at, shop,
      (select coalesce(json_agg(subscription_id), '[]') from subscriptions where store_id = ${storeId}) as known
    from stores where store_id = ${storeId} and status = 'installed'`.execute(kysely)
  // The platform does not report subscriptions of an uninstalled store.
  if (!begun) return
  const all = await platform.subscriptions(begun.shop)
  const plans = new Set(
    (await kysely.selectFrom('plans').select('plan_id').execute()).map(plan => plan.plan_id),
  )
  const subscriptions = all.filter(({ planId }) => plans.has(planId))
  if (subscriptions.length < all.length)
    log.warn({ storeId }, 'the platform names a plan that we do not have')

  const after = await kysely.transaction().execute(async trx => {
    const store = await trx
      .selectFrom('stores')
      .selectAll()
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (store.status !== 'installed' || (store.billing_read_at && store.billing_read_at > begun.at))
      return null
    const seen = new Set([...begun.known, ...all.map(({ id }) => id)])
    const stored = await trx
      .selectFrom('subscriptions')
      .select('subscription_id')
      .where('store_id', '=', storeId)
      .execute()
    if (stored.some(({ subscription_id }) => !seen.has(subscription_id))) throw new AskedMeanwhile()
    const now = clock()
    for (const subscription of subscriptions)
      await trx
        .insertInto('subscriptions')
        .values({ ...rowOf(subscription), store_id: storeId, updated_at: now })
        .onConflict(oc =>
          oc
            .columns(['store_id', 'subscription_id'])
            .doUpdateSet({ ...rowOf(subscription), updated_at: now }),
        )
        .execute()
    const standing = standingOf(subscriptions, before(store), now)
    await trx
      .updateTable('stores')
      .set({
        subscription_id: standing.subscriptionId,
        subscription_status: standing.subscriptionStatus,
        has_subscribed: standing.hasSubscribed,
        plan_id: standing.planId,
        pending_plan: standing.pendingPlan,
        trial_end: standing.trialEnd,
        trial: isOnTrial(standing.trialEnd, now),
        current_subscription_end: standing.currentSubscriptionEnd,
        next_bill: standing.nextBill,
        usage_reset: standing.usageReset,
        billing_read_at: begun.at,
        updated_at: now,
      })
      .where('store_id', '=', storeId)
      .execute()
    // The merchant has decided. Asking for the same plan again creates a new subscription.
    if (standing.pendingPlan === null)
      await trx
        .deleteFrom('subscription_asks')
        .where('store_id', '=', storeId)
        .where('confirmation_url', 'is not', null)
        .execute()
    return standing
  })
  if (!after) return
  if (hasLapsed(after)) await suspendTests(context, storeId)
  else if (after.subscriptionStatus === 'Active') {
    await resumeSuspended(context, storeId)
    // The plan may have more visitors now, and a trial has no limit.
    await checkLimitSoon(context, storeId)
  }
}

const rowOf = ({
  id,
  planId,
  status,
  createdAt,
  trialEndsAt,
  currentPeriodEndsAt,
}: PlatformSubscription) => ({
  subscription_id: id,
  plan_id: planId,
  status,
  created_at: new Date(createdAt),
  trial_ends_at: trialEndsAt ? new Date(trialEndsAt) : null,
  current_period_ends_at: currentPeriodEndsAt ? new Date(currentPeriodEndsAt) : null,
})

const before = (store: Selectable<StoresTable>): Standing => ({
  subscriptionId: store.subscription_id,
  subscriptionStatus: store.subscription_status,
  hasSubscribed: store.has_subscribed,
  planId: store.plan_id,
  pendingPlan: store.pending_plan,
  trialEnd: store.trial_end,
  currentSubscriptionEnd: store.current_subscription_end,
  nextBill: store.next_bill,
  usageReset: store.usage_reset,
})
