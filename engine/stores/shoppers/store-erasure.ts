import { sql } from 'kysely'
import { clearColumns } from './cleared.ts'
import { erasureWait, keptTables } from '../../../domain/stores/shoppers/kept-tables.ts'
import type { EngineContext } from '../../context.ts'
import type { Db } from '../../db/connection.ts'
import { run } from '../../db/raw.ts'
import { holdDays, otherDays, partitionedDays, partitionOf } from '../../events/event-days.ts'
import { withStoreLockAtLast } from '../../events/store-lock.ts'
import type { JobHandler, Jobs } from '../../jobs/jobs.ts'
import { sumUpLast } from '../../tests/settled.ts'
import type { Trx } from '../../db/types.ts'

/** Key of a store's job that erases its personal data. */
const erasureKey = 'storeErasure'

/** Plans the erasure. Call it in the transaction that uninstalls a store. */
export const planErasure = (jobs: Jobs, trx: Trx, storeId: string, now: Date): Promise<string> =>
  jobs.add(trx, {
    storeId,
    kind: 'storeErasure',
    key: erasureKey,
    runAt: new Date(now.getTime() + erasureWait),
  })

/**
 * Runs the planned erasure now, because the platform asked for it. Only for uninstalled stores, and
 * once after each uninstall.
 */
export async function eraseNow(
  { db, jobs }: { db: Pick<Db, 'kysely'>; jobs: Jobs },
  storeId: string,
): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    const store = await trx
      .selectFrom('stores')
      .select(['status', 'erased_at', 'installed_at'])
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirst()
    if (store?.status !== 'uninstalled') return
    const isErased =
      store.erased_at !== null &&
      (store.installed_at === null || store.erased_at >= store.installed_at)
    // Without `runAt` an erasure that runs now is enough.
    if (!isErased) await jobs.add(trx, { storeId, kind: 'storeErasure', key: erasureKey })
  })
}

/**
 * Cancels the erasure. Call it in the transaction that installs the store again. An erasure that
 * has begun finishes, but loses its key: old events are still erased, and another uninstall plans
 * an erasure of its own.
 */
export async function cancelErasure(jobs: Jobs, trx: Trx, storeId: string): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ key: null, rerun_at: null })
    .where('store_id', '=', storeId)
    .where('key', '=', erasureKey)
    .where('status', 'not in', ['completed', 'errored'])
    .where(sql<boolean>`state->'upTo' is not null`)
    .execute()
  await jobs.cancel(trx, storeId, erasureKey)
}

/**
 * Registers the job that erases the shoppers' data, contacts, tokens and pictures of an uninstalled
 * store (domain/stores/shoppers/kept-tables.ts).
 */
export function storeErasure(context: EngineContext): void {
  context.jobs.on('storeErasure', erase(context))
}

const erase =
  ({ db, clock, log }: EngineContext): JobHandler =>
  async ({ id, storeId, state, signal, progress, checkpoint }) => {
    let { upTo } = state as { upTo?: number }
    if (upTo === undefined) {
      const tests = await db.kysely
        .selectFrom('tests')
        .select('test_id')
        .where('store_id', '=', storeId)
        .where('settled_at', 'is', null)
        .where('start_at', 'is not', null)
        .execute()
      if (await isGone(db, storeId))
        await sumUpLast(
          db,
          storeId,
          tests.map(test => test.test_id),
          clock(),
        )
      // All code takes these locks in this order. A merchant who installs the app again meanwhile
      // waits two seconds, and is then told to try again.
      const begin = async (trx: Trx): Promise<number | null> => {
        const store = await trx
          .selectFrom('stores')
          .select('status')
          .where('store_id', '=', storeId)
          .forUpdate()
          .executeTakeFirst()
        if (store?.status !== 'uninstalled') return null
        const now = clock(),
          {
            rows: [last],
          } = await sql<{
            seq: number
          }>`select coalesce(max(seq), 0)::float8 as seq from events where store_id = ${storeId}`.execute(
            trx,
          )
        await trx
          .updateTable('tests')
          .set({ settled_at: now })
          .where('store_id', '=', storeId)
          .where('settled_at', 'is', null)
          .execute()
        const counts = await eraseTables(trx, storeId)
        await trx
          .updateTable('stores')
          .set({ erased_at: now })
          .where('store_id', '=', storeId)
          .execute()
        await trx
          .insertInto('erasures')
          .values({
            store_id: storeId,
            erasure_id: id,
            kind: 'store',
            asked_by: 'uninstall',
            asked_at: now,
            done_at: null,
            counts: JSON.stringify(counts),
          })
          // When the erasure was requested again while it ran, the same job runs once more, for
          // data that arrived since.
          .onConflict(oc =>
            oc.columns(['store_id', 'erasure_id']).doUpdateSet({
              asked_at: now,
              done_at: null,
              counts: JSON.stringify(counts),
            }),
          )
          .execute()
        await checkpoint({ upTo: last!.seq }, trx)
        return last!.seq
      }
      const begun = await withStoreLockAtLast(db, storeId, begin, signal)
      if (begun === null) return progress(1, 'Nothing was erased: the app is installed again')
      upTo = begun
    }
    let events = 0
    // Erases day by day, so that requests never wait for long. Events after a reinstall have higher
    // numbers than `upTo`.
    for (const part of [otherDays, ...(await partitionedDays(db)).map(partitionOf)]) {
      signal.throwIfAborted()
      events += await db.kysely.transaction().execute(trx => eraseDay(trx, part, storeId, upTo))
    }
    await sql`update erasures set done_at = ${clock()}, counts = counts || jsonb_build_object('events', coalesce((counts->>'events')::int, 0) + ${events}::int) where store_id = ${storeId} and erasure_id = ${id}`.execute(
      db.kysely,
    )
    log.info({ storeId, events }, 'personal data was erased after an uninstall')
    await progress(1, 'Personal data was erased')
  }

async function eraseDay(trx: Trx, part: string, storeId: string, upTo: number): Promise<number> {
  // The lock keeps the partition from being dropped until the transaction ends. It may have been
  // dropped before.
  await holdDays(trx)
  const {
    rows: [found],
  } = await sql<{ is: boolean }>`select to_regclass(${part}) is not null as is`.execute(trx)
  return found!.is
    ? run(trx, `delete from ${part} where store_id = $1 and seq <= $2`, [storeId, upTo])
    : 0
}

const isGone = async ({ kysely }: Db, storeId: string): Promise<boolean> =>
  (
    await kysely
      .selectFrom('stores')
      .select('status')
      .where('store_id', '=', storeId)
      .executeTakeFirst()
  )?.status === 'uninstalled'

/**
 * Erases everything except events, of which there may be millions. Returns the number of rows by
 * table.
 */
async function eraseTables(trx: Trx, storeId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, rule] of Object.entries(keptTables)) {
    if (table === 'events' || rule === 'kept' || rule === 'own') continue
    const ofStore = sql`store_id = ${storeId}`
    const rows =
      rule === 'erased'
        ? Number(
            (await sql`delete from ${sql.table(table)} where ${ofStore}`.execute(trx))
              .numAffectedRows ?? 0,
          )
        : await clearColumns(trx, table, rule, ofStore)
    if (rows) counts[table] = rows
  }
  return counts
}
