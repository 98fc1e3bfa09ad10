import { sql, type Selectable } from 'kysely'
import {
  type StoreInfo,
  type StoreStatus,
  storeFeatures,
  storeInitials,
} from '../../domain/stores/store.ts'
import { canShowLogo } from '../../domain/stores/store-logo.ts'
import { cycleDays, isOnTrial, nextTurn, yearDays } from '../../domain/stores/store-status.ts'
import { visitorsInCycle } from '../events/store/periods.ts'
import type { EngineContext } from '../context.ts'
import { publishAgain } from '../script/pixel-publication.ts'
import { StoreBusy } from '../db/busy.ts'
import { maxTries, storeVersion } from '../db/store-version.ts'
import type { Db } from '../db/connection.ts'
import type { StoresTable } from '../db/schema.ts'
import { notFound, type Serve } from '../http/routes.ts'
import { followingZone, zoneLater } from '../reports/time-zone-change.ts'
import { type EventHandlers, UnknownShop } from '../orders/webhooks.ts'
import { endSessions } from '../session/live-sessions.ts'

export function stores(serve: Serve, { db, clock, platform, publisher }: EngineContext): void {
  // Not cached: a trial ends with time, without a change of any row.
  serve('storeInfo', async (_, { storeId }) => storeInfo(await storeRow(db, storeId), clock()))
  serve('storeStatus', async (_, { storeId }) =>
    storeStatus(db, await storeRow(db, storeId), clock()),
  )

  serve('storeCapabilities', (_, { shop }) => platform.capabilities(shop))

  serve('storeConsent', async (_, { shop }) => {
    const consent = await platform.consent(shop)
    if (!consent) throw notFound('settings of consent')
    return consent
  })

  serve('storeLogo', async (_, { shop }) => {
    const logo = await platform.logo(shop)
    if (!logo || !canShowLogo({ type: logo.type, byteCount: logo.body.length }))
      throw notFound('logo')
    return logo
  })

  serve('renameStore', async ({ params: { id }, body }, { storeId }) => {
    if (id !== storeId) throw notFound('store')
    await db.kysely
      .updateTable('stores')
      .set({ name: body.name.trim(), updated_at: clock() })
      .where('store_id', '=', storeId)
      .execute()
    return storeInfo(await storeRow(db, storeId), clock())
  })

  serve('setConsentRule', async ({ params: { id }, body: { rule } }, { storeId }) => {
    if (id !== storeId) throw notFound('store')
    const hasChanged = await db.kysely.transaction().execute(async trx => {
      const { numUpdatedRows } = await trx
        .updateTable('stores')
        .set({ consent_rule: rule, updated_at: clock() })
        .where('store_id', '=', storeId)
        .where('consent_rule', '<>', rule)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) await publisher.request(trx, storeId)
      return numUpdatedRows > 0n
    })
    // The published script follows the rule too; the collector follows it at once.
    if (hasChanged) await publisher.publish(storeId)
    return storeInfo(await storeRow(db, storeId), clock())
  })
}

/**
 * Serves the end of all sign-ins of a store. Merchants then sign in again through the shop's admin.
 */
export function sessionsOf(serve: Serve, { db: { kysely } }: EngineContext): void {
  serve('endSessions', async ({ params: { id } }, { storeId }) => {
    if (id !== storeId) throw notFound('store')
    await kysely.transaction().execute(trx => endSessions(trx, storeId))
    return { ok: true }
  })
}

/**
 * Serves the webhook about changes of the shop's record, and updates the store. A store that the
 * merchant has renamed keeps that name.
 */
export function storeEvents({
  db,
  clock,
  platform,
}: Pick<EngineContext, 'db' | 'clock' | 'platform'>): Pick<EventHandlers, 'shopUpdated'> {
  /** Stores the shop's record. Returns false when the row changed while the platform was asked. */
  async function isUpdated(shop: string): Promise<boolean> {
    const store = await db.kysely
      .selectFrom('stores')
      .select(['status', 'store_id', storeVersion])
      .where('shop', '=', shop)
      .executeTakeFirst()
    if (!store) throw new UnknownShop()
    if (store.status !== 'installed') return true
    // Ask the platform instead of using the delivery, which may be late.
    const { domain, origin, name, currency, timeZone, email } = await platform.shop(shop)
    const {
      done: { numUpdatedRows },
      isLater,
    } = await followingZone(
      db,
      { storeId: store.store_id, shop, zone: timeZone, now: clock() },
      (trx, zone) =>
        trx
          .updateTable('stores')
          .set(eb => ({
            domain,
            origin,
            currency,
            time_zone: zone,
            email,
            shop_name: name,
            updated_at: clock(),
            name: eb
              .case()
              .when('name', '=', eb.ref('shop_name'))
              .then(name)
              .else(eb.ref('name'))
              .end(),
          }))
          .where('store_id', '=', store.store_id)
          .where(sql<boolean>`xmin::text = ${store.version}`)
          .executeTakeFirst(),
    )
    if (numUpdatedRows === 0n) return false
    // The rest is stored. The platform sends the delivery again, and with it the zone.
    if (isLater) throw zoneLater()
    return true
  }
  return {
    shopUpdated: async delivery => {
      // Another delivery may have stored newer facts than we were told. Then we ask again, so the
      // facts that stay were asked for last.
      for (let tries = 0; tries < maxTries; tries++)
        if (await isUpdated(delivery.shop)) return publishAgain(db, delivery.shop)
      throw new StoreBusy()
    },
  }
}

export async function storeRow(db: Db, storeId: string): Promise<Selectable<StoresTable>> {
  const row = await db.kysely
    .selectFrom('stores')
    .selectAll()
    .where('store_id', '=', storeId)
    .executeTakeFirst()
  if (!row) throw notFound('store')
  return row
}

async function storeStatus(
  db: Db,
  store: Selectable<StoresTable>,
  now: Date,
): Promise<StoreStatus> {
  const plan = store.plan_id
    ? await db.kysely
        .selectFrom('plans')
        .select(['monthly_visitors', 'is_annual'])
        .where('plan_id', '=', store.plan_id)
        .executeTakeFirst()
    : undefined
  const isActive = store.subscription_status === 'Active'
  const billed = (turn: Date | null) =>
    nextTurn(turn, plan?.is_annual ? yearDays : cycleDays, now)?.toISOString() ?? null
  return {
    // The platform sends no message when the next paid period begins, so the dates are calculated.
    currentSubscriptionEnd: isActive
      ? billed(store.current_subscription_end)
      : (store.current_subscription_end?.toISOString() ?? null),
    nextBill: isActive ? billed(store.next_bill) : null,
    usageReset: nextTurn(store.usage_reset, cycleDays, now)?.toISOString() ?? null,
    trialEnd: store.trial_end?.toISOString() ?? null,
    sessions: await visitorsInCycle(db, store.store_id, store.usage_reset ?? store.created_at, now),
    sessionLimit: plan ? plan.monthly_visitors : 0,
    pendingPlan: store.pending_plan,
    subscriptionStatus: store.subscription_status,
  }
}

function storeInfo(row: Selectable<StoresTable>, now: Date): StoreInfo {
  return {
    id: row.store_id,
    shop: row.shop,
    domain: row.domain,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    industry: row.industry,
    teamSize: row.team_size,
    testingExperience: row.testing_experience,
    source: row.source,
    onboarded: row.onboarded,
    reinstall: row.reinstall,
    hasSubscribed: row.has_subscribed,
    status: row.status,
    planId: row.plan_id,
    trial: row.subscription_status === 'Active' && isOnTrial(row.trial_end, now),
    themeId: row.theme_id,
    segmentStatus: row.segment_status,
    email: row.email,
    phone: row.phone,
    currency: row.currency,
    timeZone: row.time_zone,
    consentRule: row.consent_rule,
    features: storeFeatures.filter(feature => row.feature_flags.includes(feature)),
    storeInitials: storeInitials(row.name),
    isDemo: row.is_demo,
  }
}
