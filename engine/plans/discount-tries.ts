import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import {
  giveBack,
  noTries,
  type Tries,
  tryCode,
  type TryLimits,
} from '../../domain/plans/code-tries.ts'
import type { Db } from '../db/connection.ts'

export type DiscountTries = {
  /**
   * Counts a try. Returns after how many milliseconds the code may be checked, and whether the try
   * was counted now; null when the store has tried too many.
   */
  take: (storeId: string, code: string) => Promise<{ wait: number; isNew: boolean } | null>
  /** Gives a try back, because its code was valid. */
  giveBack: (storeId: string) => Promise<void>
}

type Stored = Omit<Tries, 'codes'> & { codes: string[] }

/**
 * Counts the tries of each store in the database, so that a store has no more of them where several
 * processes answer. Codes are stored as hashes.
 */
export function discountTries({ kysely }: Pick<Db, 'kysely'>, limits: TryLimits): DiscountTries {
  const change = <T>(storeId: string, work: (tries: Tries, now: number) => T): Promise<T> =>
    kysely.transaction().execute(async trx => {
      // Makes the row, if there is none, and locks it: tries of a store are counted one by one.
      const {
        rows: [row],
      } = await sql<{ tries: Partial<Stored>; now: number }>`
        insert into discount_tries as t (store_id, tries) values (${storeId}, '{}')
        on conflict (store_id) do update set tries = t.tries
        returning tries, extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(trx)
      const { tries: stored, now } = row!,
        fresh = noTries(limits, now)
      const tries: Tries = { ...fresh, ...stored, codes: new Set(stored.codes) }
      const result = work(tries, now)
      await trx
        .updateTable('discount_tries')
        .set({ tries: JSON.stringify({ ...tries, codes: [...tries.codes] } satisfies Stored) })
        .where('store_id', '=', storeId)
        .execute()
      return result
    })
  return {
    take: (storeId, code) =>
      change(storeId, (tries, now) => {
        const key = createHash('sha256').update(code).digest('base64url').slice(0, 16),
          isNew = !tries.codes.has(key),
          wait = tryCode(tries, key, limits, now)
        return wait === null ? null : { wait, isNew }
      }),
    giveBack: storeId => change(storeId, tries => giveBack(tries, limits)),
  }
}
