import { createHash, randomUUID } from 'node:crypto'
import { bytesOfText, type Kept, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { Db } from '../db/connection.ts'

export type Answer = { payload: string; etag: string }
export type Answers = {
  /**
   * Returns the cached answer, or makes and caches it. `key` contains everything that the answer
   * depends on besides the rows of the store.
   */
  of: (storeId: string, key: string, make: () => Promise<string>) => Promise<Answer>
  /** The same for a small value of the store's rows that is no answer. */
  state: StoreState
  close: () => Promise<void>
}

export type StoreState = <T>(storeId: string, key: string, read: () => Promise<T>) => Promise<T>

const maxBytes = 32 * 1024 * 1024
/** The most bytes of small values, and bytes of one. */
const states = { all: 4 * 1024 * 1024, each: 512 }

/**
 * Caches the answers that merchants request most, until a row of their store changes. Only on
 * PGlite: there, this process is the only writer and is notified of each change before the write is
 * answered, so no merchant sees an old value after a change. On Postgres other processes write too,
 * so every answer is made fresh.
 */
export async function keepAnswers(db: Db): Promise<Answers> {
  const fresh = async (make: () => Promise<string>): Promise<Answer> => {
    const payload = await make()
    return { payload, etag: `"${createHash('sha1').update(payload).digest('base64url')}"` }
  }
  if (!db.pglite)
    return {
      of: (_storeId, _key, make) => fresh(make),
      state: (_storeId, _key, read) => read(),
      close: async () => {},
    }
  const { pglite } = db
  const changed = new Map<string, string>()
  const stop = await pglite.listen('store_changed', storeId => changed.set(storeId, randomUUID()))
  const answers = keptWithin<{ change: string; value: unknown }>(maxBytes),
    small = keptWithin<{ change: string; value: unknown }>(states.all)
  async function kept<T>(
    cache: Kept<{ change: string; value: unknown }>,
    storeId: string,
    key: string,
    read: () => Promise<T>,
    bytesOf: (value: T) => number,
  ): Promise<T> {
    const place = `${storeId} ${key}`,
      change = changed.get(storeId) ?? ''
    const known = cache.get(place)
    if (known?.change === change) return known.value as T
    const value = await read()
    // Stored under the change that was current when it was begun. If a row changed meanwhile, the
    // entry is out of date at once.
    cache.set(place, { change, value }, bytesOfText(place) + bytesOf(value))
    return value
  }
  return {
    of: (storeId, key, make) =>
      kept(
        answers,
        storeId,
        key,
        () => fresh(make),
        ({ payload }) => bytesOfText(payload),
      ),
    state: (storeId, key, read) => kept(small, storeId, key, read, () => states.each),
    close: async () => {
      if (!pglite.closed) await stop()
    },
  }
}
