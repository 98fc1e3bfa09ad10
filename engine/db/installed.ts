import { type RawBuilder, sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Reader, Trx } from './types.ts'

/** Key of the job that removes the app from a shop. */
export const uninstallKey = 'uninstall'
/** Key of a store's job that compares it with the platform. */
export const reconciliationKey = 'reconciliation'

/**
 * SQL condition: the merchant asked to uninstall the store, and that job has neither finished nor
 * failed. The statuses are literals so that Postgres can use the partial index.
 */
export const isBeingUninstalled = (storeId: RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from jobs u where u.store_id = ${storeId} and u.key = ${uninstallKey} and u.status not in ('completed', 'errored'))`

/**
 * Call this before anything new is created or started in a shop. Throws HttpProblem 409 when the
 * app is uninstalled or being uninstalled. Call it first in a transaction: uninstalling waits for
 * the end of that transaction.
 */
export async function requireInstalled(trx: Trx, storeId: string): Promise<void> {
  const store = await trx
    .selectFrom('stores')
    .select('status')
    .where('store_id', '=', storeId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (store.status === 'uninstalled')
    throw new HttpProblem(409, 'The app is uninstalled from this shop.')
  // This must be a second query: only after the row of the store is locked does it see an uninstall
  // that was asked for before.
  const {
    rows: [asked],
  } = await sql<{ is: boolean }>`select ${isBeingUninstalled(sql`${storeId}::uuid`)} as is`.execute(
    trx,
  )
  if (asked?.is) throw new HttpProblem(409, 'The app is being uninstalled from this shop.')
}

/**
 * Whether the store was installed again after this uninstall was done. Not told by dates: clocks
 * may be set back.
 */
export async function isInstalledAgain(
  on: Reader,
  storeId: string,
  jobId: string,
): Promise<boolean> {
  const row = await on
    .selectFrom('uninstalls as u')
    .innerJoin('stores as s', 's.store_id', 'u.store_id')
    .select('u.uninstall_id')
    .where('u.store_id', '=', storeId)
    .where('u.uninstall_id', '=', jobId)
    .where('u.finished_at', 'is not', null)
    .where('s.status', '=', 'installed')
    .executeTakeFirst()
  return row !== undefined
}
