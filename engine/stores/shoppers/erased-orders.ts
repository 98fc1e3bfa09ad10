import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { EngineConfig } from '../../config.ts'
import { rows } from '../../db/raw.ts'
import { type Seal, sealOf } from '../../session/seal.ts'
import { keyRing, keysFor } from '../../session/key-ring.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Recognises orders whose buyers were erased. Only a keyed hash of each is stored (decision 048).
 */
export type ErasedOrders = {
  note: (trx: Trx, storeId: string, orderId: string) => Promise<void>
  has: (trx: Trx, storeId: string, orderId: string) => Promise<boolean>
}

/**
 * Each store has a random key for this, which is stored sealed. A hash with one of the secrets
 * themselves would no longer match once that secret is removed.
 */
export function erasedOrders(
  config: Pick<EngineConfig, 'SECRETS' | 'SESSION_SECRET'>,
): ErasedOrders {
  const ring = keyRing(config),
    seal = sealOf(ring, 'erasedOrders')
  // Keys of hashes from before stores had their own key.
  const before = keysFor(ring, 'networks').map(key => Buffer.from(key))

  async function keyOf(trx: Trx, storeId: string): Promise<Buffer | null> {
    const { erasure_key: sealed } = await trx
      .selectFrom('stores')
      .select('erasure_key')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    return sealed && opened(seal, storeId, sealed)
  }

  return {
    note: async (trx, storeId, orderId) => {
      let key = await keyOf(trx, storeId)
      if (!key) {
        key = randomBytes(32)
        await trx
          .updateTable('stores')
          .set({ erasure_key: seal.close(storeId, key.toString('base64')) })
          .where('store_id', '=', storeId)
          .execute()
      }
      await sql`insert into erased_orders (store_id, order_hash) values (${storeId}, ${hashOf(key, storeId, orderId)}) on conflict do nothing`.execute(
        trx,
      )
    },
    has: async (trx, storeId, orderId) => {
      const [any] = await rows(trx, 'select from erased_orders where store_id = $1 limit 1', [
        storeId,
      ])
      if (!any) return false
      const key = await keyOf(trx, storeId)
      const hashes = [...(key ? [key] : []), ...before].map(one => hashOf(one, storeId, orderId))
      const [found] = await rows(
        trx,
        'select from erased_orders where store_id = $1 and order_hash = any($2::text[])',
        [storeId, hashes],
      )
      return found !== undefined
    },
  }
}

function opened(seal: Seal, storeId: string, sealed: Uint8Array): Buffer | null {
  const text = seal.open(storeId, sealed)
  return text === null ? null : Buffer.from(text, 'base64')
}

const hashOf = (key: Buffer, storeId: string, orderId: string): string =>
  createHmac('sha256', key)
    .update(`erased order ${storeId} ${orderId}`)
    .digest('base64url')
    .slice(0, 22)
