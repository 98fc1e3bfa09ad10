import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { UninstallCategory } from '../../domain/stores/store-uninstall.ts'
import type { EngineContext } from '../context.ts'
import { isInstalledAgain, uninstallKey } from '../db/installed.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { notFound, type Serve } from '../http/routes.ts'
import { endTests, markUninstalled } from './mark-uninstalled.ts'
import { endedWinners, scriptWinners } from '../script/script-winners.ts'
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
    const isMarked = await kysely.transaction().execute(async trx => {
      // While the platform's answer was on its way, its webhook may have marked the store and the
      // merchant may have installed again. A sign-in changes the store only behind this lock.
      await trx
        .selectFrom('stores')
        .select('store_id')
        .where('store_id', '=', storeId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow()
      if (await isInstalledAgain(trx, storeId, id)) return false
      await markUninstalled(trx, jobs, storeId, clock())
      await trx
        .updateTable('uninstalls')
        .set({ finished_at: clock(), kept: JSON.stringify(outcome.kept) })
        .where('store_id', '=', storeId)
        .where('uninstall_id', '=', id)
        .execute()
      return true
    })
    if (!isMarked) return over()
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
