import { sql, type RawBuilder } from 'kysely'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'

const milliseconds = (at: RawBuilder<unknown>) => sql`(extract(epoch from ${at}) * 1000)::bigint`

/**
 * SQL for the test `t` and its summary `s`: a text that changes whenever the figures of a report or
 * of the list change. Open pages ask for this text instead of the figures. It is made of counters
 * and instants in the rows, so no summary is read for it, and it stays the same when a test is only
 * summed up again, as running tests are every minute.
 */
export const revisionOfTest = sql<string>`concat_ws('-', ${milliseconds(sql`t.updated_at`)}, coalesce(s.changed, 0), coalesce(s.orders_changed, 0), ${milliseconds(sql`t.verdict_at`)})`

const testsWithSummaries = sql`from tests t left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id`

/** The same for all tests and drafts of a store. */
export async function revisionOfStore(db: Db, storeId: string): Promise<string> {
  const { rows } = await sql<{ revision: string }>`
    select concat_ws('-', count(*), ${milliseconds(sql`max(t.updated_at)`)}, sum(s.changed), sum(s.orders_changed), count(t.verdict_at),
      (select concat_ws('-', count(*), ${milliseconds(sql`max(d.updated_at)`)}) from drafts d where d.store_id = ${storeId})) as revision
    ${testsWithSummaries} where t.store_id = ${storeId}`.execute(db.kysely)
  return rows[0]!.revision
}

export function figuresRevision(serve: Serve, { db }: EngineContext): void {
  serve(
    'figuresRevision',
    async ({ query: { test } }, { storeId }) => {
      if (test === undefined) return { revision: await revisionOfStore(db, storeId) }
      const {
        rows: [row],
      } = await sql<{
        revision: string
      }>`select ${revisionOfTest} as revision ${testsWithSummaries} where t.store_id = ${storeId} and t.test_id = ${knownId(test, 'test')}`.execute(
        db.kysely,
      )
      if (!row) throw notFound('test')
      return row
    },
    { keep: true },
  )
}
