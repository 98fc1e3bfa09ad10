import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Reader, Trx } from '../db/types.ts'

/**
 * Locks a draft until the transaction ends, so that it is neither launched nor deleted before a
 * change for it is recorded. Throws HttpProblem 409 when it was launched or deleted already.
 */
export async function claimDraft(trx: Trx, storeId: string, draftId: string): Promise<void> {
  const draft = await trx
    .selectFrom('drafts')
    .select('draft_id')
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .forUpdate()
    .executeTakeFirst()
  if (draft) return
  const test = await trx
    .selectFrom('tests')
    .select('test_id')
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .executeTakeFirst()
  throw new HttpProblem(
    409,
    test
      ? 'This draft was launched meanwhile, so your change was not made. To test it, duplicate the test and change the copy.'
      : 'This draft was deleted meanwhile, so your change was not made.',
  )
}

/** A hash of the files that we have written for a draft; another one after every such change. */
export async function filesHash(
  reader: Reader,
  storeId: string,
  draftId: string,
): Promise<string | null> {
  const {
    rows: [row],
  } = await sql<{ hash: string | null }>`
    select md5(string_agg(concat(seq, ' ', md5(after)), ' ' order by seq)) as hash from journal
    where store_id = ${storeId} and test_id = ${draftId} and kind = 'file'`.execute(reader)
  return row?.hash ?? null
}
