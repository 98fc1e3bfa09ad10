import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type StoreInfo, storeFeatures, storeInitials } from '../domain/store.ts'
import { visitorsInCycle } from './aggregates-store.ts'
import type { EngineContext } from './context.ts'
import type { StoresTable } from './db/schema.ts'
import type { ShopRecord } from './platform/adapter.ts'
import { type Caller, notFound, type Serve } from './routes.ts'

const cycleDays = 30

export function stores(serve: Serve, { db, clock }: EngineContext): void {
  serve('storeInfo', async (_, { storeId }) => storeInfo(await storeRow(storeId)), { keep: true })

  serve('storeStatus', async (_, { storeId }) => {
    const store = await storeRow(storeId)
    const plan = store.plan_id && await db.kysely.selectFrom('plans').select('monthly_visitors').where('plan_id', '=', store.plan_id).executeTakeFirst()
    const now = clock()
    return {
      currentSubscriptionEnd: store.current_subscription_end?.toISOString() ?? null,
      nextBill: nextTurn(store.next_bill, now), usageReset: nextTurn(store.usage_reset, now), trialEnd: store.trial_end?.toISOString() ?? null,
      sessions: await visitorsInCycle(db, storeId, store.usage_reset ?? store.created_at, now),
      sessionLimit: plan ? plan.monthly_visitors : 0,
      pendingPlan: store.pending_plan, subscriptionStatus: store.subscription_status,
    }
  })

  async function storeRow(storeId: string): Promise<Selectable<StoresTable>> {
    const row = await db.kysely.selectFrom('stores').selectAll().where('store_id', '=', storeId).executeTakeFirst()
    if (!row) throw notFound('store')
    return row
  }
}

/** The store of a shop that has just proved who it is; made, and its script published, when it is the first time. */
export async function signIn({ db, clock, platform, publisher, readyShop }: EngineContext, shop: string): Promise<Caller> {
  const find = () => db.kysely.selectFrom('stores').select('store_id as storeId').where('shop', '=', shop).executeTakeFirst()
  const known = await find()
  if (known) return { storeId: known.storeId, shop }
  const row = newStore(platform.name, await platform.shop(shop), clock(), shop === readyShop)
  const isNew = await db.kysely.transaction().execute(async trx => {
    const { numInsertedOrUpdatedRows } = await trx.insertInto('stores').values(row).onConflict(oc => oc.column('shop').doNothing()).executeTakeFirstOrThrow()
    if (!numInsertedOrUpdatedRows) return false
    await publisher.request(trx, row.store_id)
    return true
  })
  if (isNew) await publisher.publish(row.store_id)
  return { storeId: isNew ? row.store_id : (await find())!.storeId, shop }
}

/**
 * A shop that is ready has a subscription, a plan and nothing to be asked, so the gate lets its merchant in; any other
 * starts as never subscribed and not onboarded. The element editor and price testing are by flag alone (spec §6), so the ready shop has both.
 */
function newStore(platform: string, { shop, domain, origin, name, currency, timeZone, email, themeId }: ShopRecord, now: Date, isReady: boolean) {
  const cycleEnd = new Date(now.getTime() + cycleDays * 86_400_000)
  return {
    store_id: randomUUID(), platform, shop, domain, origin, name, currency, time_zone: timeZone, email, phone: null, theme_id: themeId,
    industry: null, team_size: null, testing_experience: null, source: null,
    onboarded: isReady, has_subscribed: isReady, status: 'installed' as const,
    plan_id: isReady ? 'advanced-100k-monthly' : null, pending_plan: null, trial: false, segment_status: null,
    subscription_status: isReady ? 'Active' as const : null,
    current_subscription_end: null, next_bill: isReady ? cycleEnd : null, usage_reset: isReady ? cycleEnd : null, trial_end: null,
    feature_flags: JSON.stringify(isReady ? ['DomTesting', 'PriceTesting'] : []), created_at: now, updated_at: now,
  }
}

/** The first turn of a 30-day cycle after now, counted from any of its turns. */
function nextTurn(turn: Date | null, now: Date): string | null {
  if (!turn) return null
  const length = cycleDays * 86_400_000
  const passed = Math.max(0, Math.floor((now.getTime() - turn.getTime()) / length) + 1)
  return new Date(turn.getTime() + passed * length).toISOString()
}

function storeInfo(row: Selectable<StoresTable>): StoreInfo {
  return {
    id: row.store_id, shop: row.shop, domain: row.domain, name: row.name,
    createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString(),
    industry: row.industry, teamSize: row.team_size, testingExperience: row.testing_experience, source: row.source,
    onboarded: row.onboarded, reinstall: row.reinstall, hasSubscribed: row.has_subscribed, status: row.status,
    planId: row.plan_id, trial: row.trial, themeId: row.theme_id, segmentStatus: row.segment_status,
    email: row.email, phone: row.phone, currency: row.currency, timeZone: row.time_zone,
    features: storeFeatures.filter(feature => row.feature_flags.includes(feature)),
    storeInitials: storeInitials(row.name), isDemo: row.is_demo,
  }
}
