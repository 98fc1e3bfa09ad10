import type { EngineContext } from '../context.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { jobOf } from '../hub/job-of.ts'

/**
 * Serves the present state of a background job, for clients that were not connected when it
 * changed.
 */
export function storeJobs(serve: Serve, { db }: EngineContext): void {
  serve('storeJob', async ({ params }, { storeId, isLeaving }) => {
    const row = await db.kysely
      .selectFrom('jobs')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('job_id', '=', knownId(params.id, 'job'))
      .executeTakeFirst()
    if (!row || (isLeaving && row.kind !== 'uninstall')) throw notFound('job')
    return jobOf(row)
  })
}
