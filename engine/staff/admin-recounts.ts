import type { Kysely } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Recount } from '../../domain/staff/staff-overview.ts'
import type { EngineContext } from '../context.ts'
import { rows } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'

/** How many recounts a store's page shows, newest first. */
const maxRecounts = 5

/**
 * Milliseconds until a recount begins. So the page that asked for it is shown first: on PGlite all
 * requests wait while events are counted.
 */
const beginsAfter = 2_000

/** Serves the call that counts a store's or a test's figures again. The job is in upkeep.ts. */
export function adminRecounts(
  serve: StaffServe,
  { db: { kysely }, clock, jobs }: EngineContext,
): void {
  serve('recount', async ({ params, body: { testId } }, staff) => {
    const storeId = knownId(params.id, 'store')
    return kysely.transaction().execute(async trx => {
      const store = await trx
        .selectFrom('stores')
        .select('status')
        .where('store_id', '=', storeId)
        .executeTakeFirst()
      if (!store) throw notFound('store')
      if (store.status !== 'installed')
        throw new HttpProblem(409, 'The store is uninstalled, so its figures stay as they are.')
      const test =
        testId === undefined
          ? null
          : await trx
              .selectFrom('tests')
              .select(['test_id', 'title'])
              .where('store_id', '=', storeId)
              .where('test_id', '=', knownId(testId, 'test'))
              .executeTakeFirst()
      if (test === undefined) throw notFound('test')
      const jobId = await jobs.add(trx, {
        storeId,
        kind: 'rebuild',
        key: test ? `rebuild:${test.test_id}` : 'rebuild',
        payload: { by: staff.id, ...(test && { testId: test.test_id }) },
        runAt: new Date(clock().getTime() + beginsAfter),
      })
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Asked for a recount',
        about: storeId,
        detail: test ? `“${test.title}”` : 'All figures of the store',
      })
      return { jobId }
    })
  })
}

type Row = Pick<
  Recount,
  'id' | 'test' | 'isWholeStore' | 'status' | 'message' | 'progress' | 'by'
> & {
  askedAt: Date
  updatedAt: Date
}

/** The recounts of a store, newest first. */
export async function recountsOf(kysely: Kysely<Schema>, storeId: string): Promise<Recount[]> {
  const found = await rows<Row>(
    kysely,
    `select j.job_id as id, t.title as test, j.payload ->> 'testId' is null as "isWholeStore", j.status, j.message, j.progress, u.name as by,
      j.created_at as "askedAt", j.updated_at as "updatedAt"
    from jobs j left join tests t on t.store_id = j.store_id and t.test_id::text = j.payload ->> 'testId' left join staff_users u on u.user_id::text = j.payload ->> 'by'
    where j.store_id = $1 and j.kind = 'rebuild' order by j.created_at desc, j.job_id limit ${maxRecounts}`,
    [storeId],
  )
  return found.map(({ askedAt, updatedAt, ...row }) => ({
    ...row,
    askedAt: askedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
}
