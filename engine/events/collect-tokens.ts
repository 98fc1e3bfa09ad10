import { createHmac } from 'node:crypto'

export type CollectTokens = {
  of: (shop: string) => string
  holds: (shop: string, token: string) => boolean
}

/**
 * What a shop's script names itself by where no origin does: on a page without a referrer, or in a sandboxed frame.
 * Whoever reads the script has it, so it opens only the lower limit. Short, since every shopper loads it: it is the whole
 * query of the collector's address. The first key makes it, all are taken.
 */
export function collectTokens(keys: readonly [Uint8Array, ...Uint8Array[]]): CollectTokens {
  const by = (key: Uint8Array, shop: string) =>
    createHmac('sha256', key).update(`collect ${shop}`).digest('base64url').slice(0, 4)
  return {
    of: shop => by(keys[0], shop),
    holds: (shop, token) => keys.some(key => by(key, shop) === token),
  }
}
