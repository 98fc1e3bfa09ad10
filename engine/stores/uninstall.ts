import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { UninstallCategory } from '../../domain/stores/store-uninstall.ts'
import type { EngineContext } from '../context.ts'
import { isInstalledAgain, uninstallKey } from '../db/installed.ts'
import { endSessions } from '../session/live-sessions.ts'
import type { JobRun, Jobs } from '../jobs/jobs.ts'
import { notFound, type Serve } from '../http/routes.ts'
import { planErasure } from './shoppers/store-erasure.ts'
import { endedWinners, scriptWinners, switchWinnersOff } from '../script/script-winners.ts'
import { changeStatus } from '../tests/test-statuses.ts'
import type { WebhookTopics } from '../orders/webhooks.ts'
import type { Trx } from '../db/types.ts'
import { doneMessage, inWords, type Outcome } from './uninstall-words.ts'

/** Serves uninstalling. It runs as a job, so that it finishes exactly once, even after crashes. */
export function uninstall(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    clock,
    jobs,
  } = context
  jobs.on('uninstall', uninstallJob(context))
  serve('uninstall', async ({ params: { id }, body: { category, reason } }, { storeId }) => {
    if (id !== storeId) throw notFound('store')
    const jobId = await kysely.transaction().execute(async trx => {
      const store = await trx
        .selectFrom('stores')
        .select('status')
        .where('store_id', '=', storeId)
        .forUpdate()
        .executeTakeFirstOrThrow()
      if (store.status === 'uninstalled')
        throw new HttpProblem(409, 'The app is uninstalled already.')
      const jobId = await jobs.add(trx, {
        storeId,
        kind: 'uninstall',
        key: uninstallKey,
        payload: { category, reason },
      })
      await trx
        .insertInto('uninstalls')
        .values({
          store_id: storeId,
          uninstall_id: jobId,
          category,
          reason,
          requested_at: clock(),
          finished_at: null,
          kept: '[]',
        })
        .onConflict(oc => oc.doNothing())
        .execute()
      return jobId
    })
    return { jobId }
  })
  serve('lastUninstall', async ({ params: { id } }, { storeId }) => {
    if (id !== storeId) throw notFound('store')
    const row = await kysely
      .selectFrom('uninstalls')
      .selectAll()
      .where('store_id', '=', storeId)
      .orderBy('requested_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!row) throw notFound('uninstalling')
    const { uninstall_id, category, reason, requested_at, finished_at, kept } = row
    return {
      by: category === null ? 'platform' : 'merchant',
      jobId: category === null ? null : uninstall_id,
      category: category as UninstallCategory | null,
      reason,
      requestedAt: requested_at.toISOString(),
      finishedAt: finished_at?.toISOString() ?? null,
      // The merchant sees several changes in one place as one.
      kept: [...new Set(kept)],
      ended: finished_at ? await endedWinners(kysely, storeId, requested_at, finished_at) : [],
    }
  })
}

/** The steps of the job. Each may start again after a crash. */
function uninstallJob(context: EngineContext): (run: JobRun) => Promise<void> {
  const {
    db: { kysely },
    clock,
    platform,
    publisher,
    jobs,
    log,
  } = context
  return async ({ id, storeId, state, signal, progress, checkpoint }) => {
    const { shop } = await kysely
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    if (await isInstalledAgain(kysely, storeId, id)) return over()
    let { ended, kept } = state as Partial<Outcome>
    // Once the uninstall is requested, nothing new starts or is created in the shop
    // (`requireInstalled`). So the tests and the script end for good.
    if (!ended) {
      await progress(0.05, 'Ending all tests')
      await kysely.transaction().execute(trx => endTests(trx, storeId, clock()))
      // A running publication would put the script back after it was removed.
      await publisher.publish(storeId)
      await scriptFree(storeId, signal)
      await progress(0.1, 'Putting the shop back as it was')
      await context.journal.restore(storeId, {
        onStep: (done, what) => progress(0.1 + 0.6 * done, what),
      })
      ended = (await scriptWinners(kysely, storeId))
        .filter(({ isOn }) => isOn)
        .map(({ title }) => `“${title}”`)
      await progress(0.75, 'Taking the script off the shop')
      await platform.removeScript(shop)
      await platform.setPriceRules(shop, [])
      await checkpoint({ ended })
    }
    if (!kept) {
      await progress(0.8, 'Checking that everything is as it was')
      // Another process may have started a change before the uninstall that only arrived after the
      // first walk.
      kept = (await context.journal.restore(storeId, {})).kept.map(inWords)
      await checkpoint({ ended, kept })
    }
    if (await isInstalledAgain(kysely, storeId, id)) return over()
    // Do this before the store is marked: if the platform does not answer, the store is still
    // installed and the merchant can try again.
    await progress(0.85, 'Taking the app off the shop')
    await platform.uninstall(shop)
    const outcome: Outcome = {
      ended,
      kept: [...kept, ...(await context.journal.remaining(storeId))],
    }
    await kysely.transaction().execute(async trx => {
      await markUninstalled(trx, jobs, storeId, clock())
      await trx
        .updateTable('uninstalls')
        .set({ finished_at: clock(), kept: JSON.stringify(outcome.kept) })
        .where('store_id', '=', storeId)
        .where('uninstall_id', '=', id)
        .execute()
    })
    log.info({ storeId, kept: outcome.kept.length }, 'uninstalled')
    await progress(1, doneMessage(outcome))

    /** The job was interrupted and the merchant has installed again: the new installation stays. */
    async function over(): Promise<void> {
      log.info({ storeId }, 'an interrupted uninstall ends: the app is installed again')
      await progress(1, 'Uninstalled. The app has been installed again since.')
    }
  }

  /**
   * Waits until no other process publishes. A publication stops before its next call to the shop;
   * the lease of a dead process ends after some seconds (`takeScript`).
   */
  async function scriptFree(storeId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const { rows } =
        await sql`select 1 from published_scripts where store_id = ${storeId} and leased_until >= now()`.execute(
          kysely,
        )
      if (rows.length === 0) return
      await wait(200)
    }
  }
}

/**
 * Serves the webhook that says that the platform itself uninstalled the app. Our access is gone
 * then, so changes left in the shop are listed, not undone.
 */
export function uninstallTopics(context: EngineContext): WebhookTopics {
  const {
    db: { kysely },
    clock,
    jobs,
    log,
  } = context
  return {
    'app/uninstalled': async delivery => {
      const store = await kysely
        .selectFrom('stores')
        .select(['store_id', 'status', 'installed_at'])
        .where('shop', '=', delivery.shop)
        .executeTakeFirst()
      if (!store) throw new HttpProblem(404, 'There is no such shop here.')
      const { store_id: storeId } = store
      // A late message about an earlier installation, or the result of our own job.
      if (
        store.status === 'uninstalled' ||
        (store.installed_at && store.installed_at > new Date(delivery.triggeredAt))
      )
        return
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
    },
  }
}

async function endTests(trx: Trx, storeId: string, now: Date): Promise<void> {
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
async function markUninstalled(trx: Trx, jobs: Jobs, storeId: string, now: Date): Promise<void> {
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
    await planErasure(jobs, trx, storeId, now)
  }
  await trx.deleteFrom('subscription_asks').where('store_id', '=', storeId).execute()
}
