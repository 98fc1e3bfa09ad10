import { createHash, randomUUID } from 'node:crypto'
import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { Db } from '../db/connection.ts'

export type Answer = { payload: string; etag: string }
export type Answers = {
  /**
   * Returns the cached answer, or makes and caches it. `key` contains everything that the answer
   * depends on besides the rows of the store.
   */
  of: (storeId: string, key: string, make: () => Promise<string>) => Promise<Answer>
  close: () => Promise<void>
}

const maxBytes = 32 * 1024 * 1024

/**
 * Caches the answers that merchants request most, until a row of their store changes. Only on
 * PGlite: there, this process is the only writer and is notified of each change before the write is
 * answered, so no merchant sees an old value after a change. On Postgres other processes write too,
 * so every answer is made fresh.
 */
export async function keepAnswers(db: Db): Promise<Answers> {
  const kept = keptWithin<{ change: string; answer: Answer }>(maxBytes)
  const changed = new Map<string, string>()
  const fresh = async (make: () => Promise<string>): Promise<Answer> => {
    const payload = await make()
    return { payload, etag: `"${createHash('sha1').update(payload).digest('base64url')}"` }
  }
  if (!db.pglite) return { of: (_storeId, _key, make) => fresh(make), close: async () => {} }
  const { pglite } = db
  const stop = await pglite.listen('store_changed', storeId => changed.set(storeId, randomUUID()))
  return {
    of: async (storeId, key, make) => {
      const place = `${storeId} ${key}`,
        change = changed.get(storeId) ?? ''
      const known = kept.get(place)
      if (known?.change === change) return known.answer
      const answer = await fresh(make)
      // Stored under the change that was current when it was begun. If a row changed meanwhile, the
      // entry is out of date at once.
      kept.set(place, { change, answer }, bytesOfText(place) + bytesOfText(answer.payload))
      return answer
    },
    close: async () => {
      if (!pglite.closed) await stop()
    },
  }
}
