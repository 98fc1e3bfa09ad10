import { createHash, randomUUID } from 'node:crypto'
import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { Db } from '../db/connection.ts'

export type Answer = { payload: string; etag: string }
export type Answers = {
  /** The kept answer, or the one now made. `key` tells everything it depends on besides the store's rows. */
  of: (storeId: string, key: string, make: () => Promise<string>) => Promise<Answer>
  close: () => Promise<void>
}

const maxBytes = 32 * 1024 * 1024

/**
 * Keeps the answers that merchants ask for most, until a row of their store changes. Only on PGlite, where this process
 * is the only one and hears of each change before the write that made it is answered: there nobody can be given what
 * they have just changed. On Postgres other processes write too, so every answer is made again.
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
      // Under the change it was begun at: what came meanwhile makes it out of date at once.
      kept.set(place, { change, answer }, bytesOfText(place) + bytesOfText(answer.payload))
      return answer
    },
    close: async () => {
      if (!pglite.closed) await stop()
    },
  }
}
