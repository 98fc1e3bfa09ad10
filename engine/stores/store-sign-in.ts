import { randomUUID } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { cycleDays } from '../../domain/stores/store-status.ts'
import { day } from '../../domain/time-units.ts'
import { syncBilling } from '../plans/billing.ts'
import type { EngineContext } from '../context.ts'
import { uninstallKey } from '../db/installed.ts'
import type { ShopRecord } from '../platform/adapter.ts'
import type { ExchangedTokens } from '../session/platform-tokens.ts'
import type { Trx } from '../db/types.ts'
import type { Caller } from '../http/routes.ts'
import { lookAtSwitch } from '../script/script-switch.ts'
import { cancelErasure } from './shoppers/store-erasure.ts'
import { followingZone } from '../reports/time-zone-change.ts'

/**
 * Signs in a shop whose identity was just verified. The first time, its store is created and its
 * script published. An uninstalled store is installed again with its old data.
 */
export async function signIn(
  context: EngineContext,
  { shop, platform }: { shop: string; platform: string },
  idToken: string,
): Promise<Caller> {
  const known = await find(context, shop)
  const exchange = () => context.platformTokens.exchange({ shop, platform }, idToken)
  if (!known) return settled(context, await install(context, shop, exchange))
  if (known.status === 'uninstalled')
    return settled(context, await reinstall(context, known, exchange))
  // A page opens without the shop (decision 054), so only the shop's refusal of this token counts.
  await tolerated(context, known.storeId, async () => {
    if (!(await context.platformTokens.areGood(shop)))
      await keepTokens(context, known.storeId, exchange, await exchange())
  })
  // The merchant may return from approving a plan before the platform has reported it.
  if (known.pending_plan !== null)
    await tolerated(context, known.storeId, () => syncBilling(context, known.storeId))
  return { storeId: known.storeId, shop }
}

const find = ({ db }: EngineContext, shop: string) =>
  db.kysely
    .selectFrom('stores')
    .select(['store_id as storeId', 'shop', 'status', 'pending_plan'])
    .where('shop', '=', shop)
    .executeTakeFirst()

type Exchange = () => Promise<ExchangedTokens>

/**
 * Stores the tokens of a sign-in. When another sign-in, or a renewal, has stored some since their
 * exchange began, they are exchanged again, so that the store keeps those that were issued last.
 */
async function keepTokens(
  { db, platformTokens }: EngineContext,
  storeId: string,
  exchange: Exchange,
  exchanged: ExchangedTokens,
): Promise<void> {
  const keep = () =>
    db.kysely.transaction().execute(trx => platformTokens.keep(trx, storeId, exchanged))
  while (!(await keep())) exchanged = await exchange()
}

async function install(context: EngineContext, shop: string, exchange: Exchange): Promise<Caller> {
  const { db, clock, platform, platforms, platformTokens, publisher, readyShop } = context
  const exchanged = await exchange()
  const record = await platform.shop(shop)
  const row = newStore(platforms.nameFor(shop)!, record, clock(), shop === readyShop)
  const isNew = await db.kysely.transaction().execute(async trx => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('stores')
      .values(row)
      .onConflict(oc => oc.column('shop').doNothing())
      .executeTakeFirstOrThrow()
    if (!numInsertedOrUpdatedRows) return false
    await platformTokens.keep(trx, row.store_id, exchanged)
    await publisher.request(trx, row.store_id)
    return true
  })
  if (isNew) {
    await publisher.publish(row.store_id)
    return { storeId: row.store_id, shop }
  }
  const { storeId } = (await find(context, shop))!
  await keepTokens(context, storeId, exchange, exchanged)
  return { storeId, shop }
}

async function reinstall(
  context: EngineContext,
  { storeId, shop }: Caller,
  exchange: Exchange,
): Promise<Caller> {
  const { db, clock, platform, platformTokens, publisher, jobs } = context
  const exchanged = await exchange()
  const { domain, origin, currency, timeZone, email, themeId } = await platform.shop(shop)
  const now = clock()
  const change = async (trx: Trx, zone: string): Promise<boolean> => {
    const back = await trx
      .updateTable('stores')
      .set({
        status: 'installed',
        reinstall: true,
        installed_at: now,
        domain,
        origin,
        currency,
        // When it has changed too often today, the next shop/update brings it.
        time_zone: zone,
        email,
        theme_id: themeId,
        updated_at: now,
      })
      .where('store_id', '=', storeId)
      .where('status', '=', 'uninstalled')
      .returning('store_id')
      .executeTakeFirst()
    if (!back) return false
    await cancelErasure(jobs, trx, storeId)
    // An uninstall that was cut off holds up nothing more; taken up again, it ends (uninstall.ts).
    await trx
      .updateTable('jobs')
      .set({ key: null })
      .where('store_id', '=', storeId)
      .where('key', '=', uninstallKey)
      .where('status', 'not in', ['completed', 'errored'])
      .execute()
    await publisher.request(trx, storeId)
    return platformTokens.keep(trx, storeId, exchanged)
  }
  const { done: isKept } = await followingZone(db, { storeId, shop, zone: timeZone, now }, change)
  if (!isKept) await keepTokens(context, storeId, exchange, exchanged)
  await publisher.publish(storeId)
  return { storeId, shop }
}

/**
 * Reads more data from the platform after an installation. A failure is logged and does not refuse
 * the sign-in.
 */
async function settled(context: EngineContext, caller: Caller): Promise<Caller> {
  const { storeId, shop } = caller
  await tolerated(context, storeId, () => syncBilling(context, storeId))
  await tolerated(context, storeId, async () => void (await lookAtSwitch(context, caller)))
  await tolerated(context, storeId, async () => {
    const { phone } = await context.platform.merchant(shop)
    if (phone)
      await context.db.kysely
        .updateTable('stores')
        .set({ phone })
        .where('store_id', '=', storeId)
        .where('phone', 'is', null)
        .execute()
  })
  return caller
}

async function tolerated(
  { log }: EngineContext,
  storeId: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 401) throw error
    log.warn({ err: error, storeId }, 'could not read from the platform at sign-in')
  }
}

/**
 * A new store's row. A ready shop has a subscription, a plan and no open questions, so the gate
 * lets its merchant in.
 * Any other starts without a subscription and not onboarded. Only a flag opens the element editor
 * (requirements 16.10), so the ready shop has that flag.
 */
function newStore(
  platform: string,
  { shop, domain, origin, name, currency, timeZone, email, themeId }: ShopRecord,
  now: Date,
  isReady: boolean,
) {
  const cycleEnd = new Date(now.getTime() + cycleDays * day)
  return {
    store_id: randomUUID(),
    platform,
    shop,
    domain,
    origin,
    name,
    shop_name: name,
    currency,
    time_zone: timeZone,
    email,
    phone: null,
    theme_id: themeId,
    industry: null,
    team_size: null,
    testing_experience: null,
    source: null,
    onboarded: isReady,
    has_subscribed: isReady,
    status: 'installed' as const,
    plan_id: isReady ? 'advanced-100k-monthly' : null,
    pending_plan: null,
    trial: false,
    segment_status: null,
    subscription_status: isReady ? ('Active' as const) : null,
    current_subscription_end: isReady ? cycleEnd : null,
    next_bill: isReady ? cycleEnd : null,
    usage_reset: isReady ? cycleEnd : null,
    trial_end: null,
    feature_flags: JSON.stringify(isReady ? ['DomTesting', 'PriceTesting'] : []),
    installed_at: now,
    created_at: now,
    updated_at: now,
  }
}
