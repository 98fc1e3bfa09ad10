import { type RawBuilder, sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Reader, Trx } from './types.ts'

/** Key of the job by which the app is taken off a shop. */
export const uninstallKey = 'uninstall'

/** Whether uninstalling a store was asked for and is neither done nor given up. The status is written out, so that the partial index is seen to fit. */
export const isBeingUninstalled = (storeId: RawBuilder<string>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from jobs u where u.store_id = ${storeId} and u.key = ${uninstallKey} and u.status not in ('completed', 'errored'))`

/**
 * Before anything new is made in a shop or begins to run there: throws HttpProblem 409 when the app is off it, or being
 * taken off. Asked first in a transaction, whose end uninstalling then waits for.
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
  // A query of its own: only now, with the store held, it sees what was asked for before.
  const {
    rows: [asked],
  } = await sql<{ is: boolean }>`select ${isBeingUninstalled(sql`${storeId}::uuid`)} as is`.execute(
    trx,
  )
  if (asked?.is) throw new HttpProblem(409, 'The app is being uninstalled from this shop.')
}

/** Whether the store was installed again after this uninstall was done. Not told by dates: clocks may be set back. */
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
