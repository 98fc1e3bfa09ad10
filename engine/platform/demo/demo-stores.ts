import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { trialDays } from '../../../domain/plans/plan.ts'
import { cycleDays, yearDays } from '../../../domain/stores/store-status.ts'
import { standingOf, type Subscription } from '../../../domain/stores/store-subscription.ts'
import { day } from '../../../domain/time-units.ts'
import type { EngineContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import { demoShop, demoSuffix } from './demo.ts'
import { type DemoStore, demoStores } from './demo-store-list.ts'

export const shopOf = ({ handle }: Pick<DemoStore, 'handle'>): string => `${handle}${demoSuffix}`

type Context = Pick<EngineContext, 'db' | 'platforms' | 'clock'>

/**
 * Adds the further demo stores as if the platform had reported them: installed, subscribed, on
 * trial or uninstalled, with dates in the past. No shop exists behind them, so none runs a test.
 * Does nothing for stores that exist.
 */
export async function seedDemoStores({ db, platforms, clock }: Context): Promise<void> {
  const now = clock()
  const name = platforms.nameFor(demoShop)
  if (name === null) return
  await db.kysely.transaction().execute(async trx => {
    const own = await trx
      .selectFrom('published_scripts as p')
      .innerJoin('stores as s', 's.store_id', 'p.store_id')
      .select('p.runtime')
      .where('s.shop', '=', demoShop)
      .executeTakeFirst()
    const runtime = own?.runtime ?? null
    for (const store of demoStores) await addStore(trx, store, { platform: name, now, runtime })
  })
}

type Making = { platform: string; now: Date; runtime: string | null }

async function addStore(
  trx: Kysely<Schema>,
  store: DemoStore,
  { platform, now, runtime }: Making,
): Promise<void> {
  const ago = (days: number) => new Date(now.getTime() - days * day)
  const store_id = idOf(store.handle),
    shop = shopOf(store),
    createdAt = ago(store.installed)
  const subscription = subscriptionOf(store, now)
  const nothing = {
    subscriptionId: null,
    subscriptionStatus: null,
    hasSubscribed: false,
    planId: null,
    pendingPlan: null,
    trialEnd: null,
    currentSubscriptionEnd: null,
    nextBill: null,
    usageReset: null,
  }
  const standing = standingOf(subscription ? [subscription] : [], nothing, now)
  const added = await trx
    .insertInto('stores')
    .values({
      store_id,
      platform,
      shop,
      domain: `${store.handle}.example`,
      origin: `https://${store.handle}.example`,
      name: store.name,
      shop_name: store.name,
      currency: 'USD',
      time_zone: 'America/New_York',
      email: `hello@${store.handle}.example`,
      phone: null,
      theme_id: null,
      industry: null,
      team_size: null,
      testing_experience: null,
      source: null,
      onboarded: true,
      has_subscribed: standing.hasSubscribed,
      status: store.uninstalled === undefined ? 'installed' : 'uninstalled',
      plan_id: standing.planId,
      pending_plan: null,
      trial: store.trialEndsIn !== undefined,
      segment_status: null,
      subscription_id: standing.subscriptionId,
      subscription_status: standing.subscriptionStatus,
      current_subscription_end: standing.currentSubscriptionEnd,
      next_bill: standing.nextBill,
      usage_reset: usageReset(store, now),
      trial_end: standing.trialEnd,
      feature_flags: '[]',
      is_demo: true,
      installed_at: createdAt,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .onConflict(oc => oc.column('shop').doNothing())
    .returning('store_id')
    .executeTakeFirst()
  if (!added) return
  if (subscription)
    await trx
      .insertInto('subscriptions')
      .values({
        store_id,
        subscription_id: subscription.id,
        plan_id: subscription.planId,
        status: subscription.status,
        discount_code: store.discount ?? null,
        trial_ends_at: standing.trialEnd,
        current_period_ends_at: standing.currentSubscriptionEnd,
        created_at: createdAt,
        updated_at: store.uninstalled === undefined ? createdAt : ago(store.uninstalled),
      })
      .execute()
  await trx
    .insertInto('store_sign_ins')
    .values({ store_id, at: ago(store.signedIn + 0.1) })
    .execute()
  if (store.finding)
    await trx
      .insertInto('script_checks')
      .values({ store_id, finding: store.finding, checked_at: ago(0.2) })
      .execute()
  if (store.uninstalled === undefined)
    await trx
      .insertInto('published_scripts')
      .values({
        store_id,
        wanted: 1,
        published: 1,
        next_attempt_at: now,
        runtime,
        url: `https://${store.handle}.example/assets/twinshelf.js`,
        etag: null,
        published_at: createdAt,
      })
      .execute()
  if (store.uninstalled !== undefined)
    await trx
      .insertInto('uninstalls')
      .values({
        store_id,
        uninstall_id: idOf(`${store.handle} uninstall`),
        category: store.left?.[0] ?? null,
        reason: store.left?.[1] ?? null,
        requested_at: ago(store.uninstalled),
        finished_at: ago(store.uninstalled),
        kept: '[]',
      })
      .execute()
  if (store.lead)
    await trx
      .insertInto('leads')
      .values({
        store_id,
        lead_id: idOf(`${store.handle} lead`),
        first_name: store.lead[0],
        last_name: store.lead[1],
        email: `${store.lead[0].toLowerCase()}@${store.handle}.example`,
        created_at: ago(5),
        updated_at: ago(5),
      })
      .execute()
}

/**
 * The subscription as the platform would report it: first a trial of two weeks, then one billing
 * period after another.
 */
function subscriptionOf(
  { handle, plan, status = 'Active', installed, uninstalled, trialEndsIn }: DemoStore,
  now: Date,
): Subscription | null {
  if (plan === null) return null
  const at = (days: number) => new Date(now.getTime() + days * day).toISOString()
  const trialEnd = trialEndsIn ?? trialDays - installed,
    period = plan.endsWith('-annual') ? yearDays : cycleDays
  const periodEnd = trialEnd > 0 ? trialEnd : trialEnd + Math.ceil((1 - trialEnd) / period) * period
  return {
    id: `demo-${handle}`,
    planId: plan,
    status,
    createdAt: at(-installed),
    trialEndsAt: at(trialEnd),
    currentPeriodEndsAt: at(uninstalled === undefined ? periodEnd : -uninstalled),
  }
}

/** The next usage reset: the end of the trial, and then every thirty days. */
function usageReset({ installed, trialEndsIn }: DemoStore, now: Date): Date {
  const end = trialEndsIn ?? trialDays - installed
  return new Date(
    now.getTime() + (end > 0 ? end : end + Math.ceil((1 - end) / cycleDays) * cycleDays) * day,
  )
}

/** A UUID made from the name, so that it is the same at every start. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`twinshelf demo ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
