import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { EngineContext } from '../context.ts'
import { type EventHandlers, UnknownShop } from '../orders/webhooks.ts'
import { markUninstalled } from './mark-uninstalled.ts'

/**
 * Serves the webhook that says that the platform itself uninstalled the app. Our access is gone
 * then, so changes left in the shop are listed, not undone.
 */
export function uninstallEvents(context: EngineContext): Pick<EventHandlers, 'appUninstalled'> {
  const {
    db: { kysely },
  } = context
  return {
    appUninstalled: async delivery => {
      const store = await kysely
        .selectFrom('stores')
        .select('store_id')
        .where('shop', '=', delivery.shop)
        .executeTakeFirst()
      if (!store) throw new UnknownShop()
      await leftByPlatform(context, store.store_id, new Date(delivery.triggeredAt))
    },
  }
}

/**
 * Marks a store as uninstalled at the platform: nothing is served any more, its figures stay, and
 * its shoppers' data will be erased.
 *
 * @param leftAt When the app was gone there. A store that was installed later stays.
 * @returns Whether the store was still installed. Our own job may have marked it before.
 */
export async function leftByPlatform(
  context: EngineContext,
  storeId: string,
  leftAt: Date,
): Promise<boolean> {
  const { db, clock, jobs, log } = context
  const kept = await context.journal.remaining(storeId)
  const now = clock()
  const left = await db.kysely.transaction().execute(async trx => {
    // Our own job marks the store at the same moment as the platform tells us. Only behind the lock
    // of its row is it certain who was first; else one uninstall would be stored twice.
    const store = await trx
      .selectFrom('stores')
      .select(['status', 'installed_at'])
      .where('store_id', '=', storeId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (store.status === 'uninstalled' || (store.installed_at && store.installed_at > leftAt))
      return false
    // Skip requests whose job failed: then the merchant uninstalled on the platform.
    const asked = await trx
      .selectFrom('uninstalls')
      .innerJoin('jobs', join =>
        join
          .onRef('jobs.store_id', '=', 'uninstalls.store_id')
          .on(sql`jobs.job_id::text`, '=', sql.ref('uninstalls.uninstall_id')),
      )
      .select('uninstall_id')
      .where('uninstalls.store_id', '=', storeId)
      .where('finished_at', 'is', null)
      .where('jobs.status', 'not in', ['completed', 'errored'])
      .orderBy('requested_at', 'desc')
      .executeTakeFirst()
    await markUninstalled(trx, jobs, storeId, now)
    const done = { finished_at: now, kept: JSON.stringify(kept) }
    // A running job will later replace `kept` with what it kept.
    if (asked)
      await trx
        .updateTable('uninstalls')
        .set(done)
        .where('store_id', '=', storeId)
        .where('uninstall_id', '=', asked.uninstall_id)
        .execute()
    else
      await trx
        .insertInto('uninstalls')
        .values({
          store_id: storeId,
          uninstall_id: randomUUID(),
          category: null,
          reason: null,
          requested_at: now,
          ...done,
        })
        .execute()
    return true
  })
  if (left) log.warn({ storeId, kept }, 'uninstalled by the platform')
  return left
}
