import { sql } from 'kysely'
import type { AuthTokens } from '../engine/session/auth-tokens.ts'
import type { Db } from '../engine/db/connection.ts'
import { storedColumns } from '../engine/db/stored-columns.ts'

export type BenchStore = { storeId: string; shop: string }

/**
 * Copies the first store `count` times, with its tests and their results, under new ids and shops.
 */
export async function copiedStores(
  db: Db,
  first: BenchStore,
  count: number,
): Promise<BenchStore[]> {
  const copies: BenchStore[] = []
  for (let i = 0; i < count; i++) {
    const storeId = crypto.randomUUID(),
      shop = `${i}-${first.shop}`
    const copy = async (table: string, changes: ReturnType<typeof sql>) => {
      const columns = await storedColumns(db.kysely, table)
      await sql`insert into ${sql.table(table)} (${columns}) select ${columns} from (select (jsonb_populate_record(t, ${changes})).* from ${sql.table(table)} t where t.store_id = ${first.storeId}) c`.execute(
        db.kysely,
      )
    }
    await copy(
      'stores',
      sql`jsonb_build_object('store_id', ${storeId}::text, 'shop', ${shop}::text, 'domain', ${shop}::text)`,
    )
    for (const table of ['tests', 'test_summaries'])
      await copy(
        table,
        sql`jsonb_build_object('store_id', ${storeId}::text, 'test_id', md5(${storeId}::text || t.test_id::text)::uuid)`,
      )
    copies.push({ storeId, shop })
  }
  return copies
}

/**
 * Makes the cookies of `count` signed-in browsers, which alternate between these stores. Each has
 * its own token.
 */
export async function cookiesOf(
  tokens: AuthTokens,
  stores: BenchStore[],
  count: number,
  now: Date,
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const store = stores[i % stores.length]!
      // Two tokens made in the same second would be equal.
      const { token } = await tokens.access(store, new Date(now.getTime() + i * 1000))
      return `ts_${store.shop.split('.')[0]}=${token}`
    }),
  )
}
