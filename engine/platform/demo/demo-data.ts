import type { Db } from '../../db/connection.ts'

/**
 * Marks a store and all its tests as filled by simulated shoppers. Throws when the store does not
 * exist.
 */
export async function markDemo(db: Db, shop: string): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    const { store_id } = await trx
      .updateTable('stores')
      .set({ is_demo: true })
      .where('shop', '=', shop)
      .returning('store_id')
      .executeTakeFirstOrThrow()
    await trx.updateTable('tests').set({ is_demo: true }).where('store_id', '=', store_id).execute()
    // The simulated past arrives within seconds, so a day may have been counted when it was half
    // filled and marked final.
    await trx.deleteFrom('page_days_built').where('store_id', '=', store_id).execute()
  })
}
