import { sql } from 'kysely'
import type { Trx } from '../db/types.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { switchWinnersOff } from '../script/script-winners.ts'
import { endSessions } from '../session/live-sessions.ts'
import { changeStatus } from '../tests/test-statuses.ts'
import { planErasure } from './shoppers/store-erasure.ts'

/** Ends all tests of a store. */
export async function endTests(trx: Trx, storeId: string, now: Date): Promise<void> {
  const running = await trx
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('status', '!=', 'Ended')
    .orderBy('test_id')
    .forUpdate()
    .execute()
  for (const test of running) await changeStatus(trx, test, 'Ended', now)
  // This publication waits until the app is removed, and then does not happen. If uninstalling is
  // abandoned, it publishes the script without the tests.
  await trx
    .updateTable('published_scripts')
    .set({ wanted: sql`wanted + 1` })
    .where('store_id', '=', storeId)
    .execute()
}

/**
 * Marks the store as uninstalled. Ends tests that were added meanwhile. Ends all sign-ins at once;
 * they may only still ask how the uninstall went. The platform ends the subscription together with
 * the installation.
 */
export async function markUninstalled(
  trx: Trx,
  jobs: Jobs,
  storeId: string,
  now: Date,
): Promise<void> {
  const store = await trx
    .selectFrom('stores')
    .select(['has_subscribed', 'current_subscription_end', 'status'])
    .where('store_id', '=', storeId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  // The store's row is locked first: a test that was being launched exists by now, or its launch is
  // refused.
  await endTests(trx, storeId, now)
  await switchWinnersOff(trx, storeId, now)
  const end = store.current_subscription_end
  await trx
    .updateTable('stores')
    .set({
      status: 'uninstalled',
      reinstall: false,
      pending_plan: null,
      next_bill: null,
      trial: false,
      updated_at: now,
      ...(store.has_subscribed
        ? {
            subscription_status: 'Cancelled' as const,
            current_subscription_end: end && end < now ? end : now,
          }
        : { subscription_status: null }),
    })
    .where('store_id', '=', storeId)
    .execute()
  // Our own address must not serve the script any more.
  await trx
    .updateTable('published_scripts')
    .set({ body: null, gzip: null, brotli: null, etag: null, url: null })
    .where('store_id', '=', storeId)
    .execute()
  // Do this once: the platform's webhook and our own job may both get here.
  if (store.status !== 'uninstalled') {
    await endSessions(trx, storeId)
    // The platform has ended them. What comes back gets new ones.
    await trx.deleteFrom('platform_tokens').where('store_id', '=', storeId).execute()
    await planErasure(jobs, trx, storeId, now)
  }
  await trx.deleteFrom('subscription_asks').where('store_id', '=', storeId).execute()
}
