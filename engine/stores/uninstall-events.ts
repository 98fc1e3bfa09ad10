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
        .select(['store_id', 'status', 'installed_at'])
        .where('shop', '=', delivery.shop)
        .executeTakeFirst()
      if (!store) throw new UnknownShop()
      const { store_id: storeId } = store
      // A late message about an earlier installation, or the result of our own job.
      if (
        store.status === 'uninstalled' ||
        (store.installed_at && store.installed_at > new Date(delivery.triggeredAt))
      )
        return
      await leftByPlatform(context, storeId)
    },
  }
}

/**
 * Marks a store as uninstalled at the platform: nothing is served any more, its figures stay, and
 * its shoppers' data will be erased.
 */
export async function leftByPlatform(context: EngineContext, storeId: string): Promise<void> {
  const {
    db: { kysely },
    clock,
    jobs,
    log,
  } = context
  // Skip requests whose job failed: then the merchant uninstalled on the platform.
  const asked = await kysely
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
  const kept = await context.journal.remaining(storeId)
  const now = clock()
  await kysely.transaction().execute(async trx => {
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
  })
  log.warn({ storeId, kept }, 'uninstalled by the platform')
}
