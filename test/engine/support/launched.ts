import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Db } from '../../../engine/db/connection.ts'
import type { TestsTable } from '../../../engine/db/schema.ts'
import { contentOf } from '../../../engine/tests/launch/launch.ts'
import { seedTest } from './seeds.ts'

/** Makes a running test from a draft of any kind, as a launch does but without its checks. */
export async function launchedFrom(
  db: Db,
  storeId: string,
  draftId: string,
  over: Partial<Insertable<TestsTable>> = {},
): Promise<string> {
  const test_id = randomUUID()
  // In one transaction, because everything that belongs to a deleted draft is deleted at the
  // commit.
  await db.kysely.transaction().execute(async trx => {
    const draft = await trx
      .deleteFrom('drafts')
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draftId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await seedTest({ ...db, kysely: trx }, storeId, {
      ...contentOf(draft),
      draft_id: draftId,
      test_id,
      pages: '[]',
      ...over,
    })
    await trx.updateTable('journal').set({ test_id }).where('test_id', '=', draftId).execute()
    await trx
      .updateTable('test_products')
      .set({ test_id })
      .where('draft_id', '=', draftId)
      .execute()
  })
  return test_id
}
