import type { Db } from '../db/connection.ts'

/** Says of a store and all its tests that simulated shoppers filled them. Throws when there is no such store. */
export async function markDemo(db: Db, shop: string): Promise<void> {
  await db.kysely.transaction().execute(async trx => {
    const { store_id } = await trx
      .updateTable('stores')
      .set({ is_demo: true })
      .where('shop', '=', shop)
      .returning('store_id')
      .executeTakeFirstOrThrow()
    await trx.updateTable('tests').set({ is_demo: true }).where('store_id', '=', store_id).execute()
    // A past that came within seconds may have been counted half filled, and held for final.
    await trx.deleteFrom('page_days_built').where('store_id', '=', store_id).execute()
  })
}
