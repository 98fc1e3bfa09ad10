import { createHmac } from 'node:crypto'

export type CollectTokens = {
  of: (shop: string) => string
  holds: (shop: string, token: string) => boolean
  /** The same for the checkout pixel, whose messages always need a token (pixel-collector.ts). */
  ofPixel: (shop: string) => string
  holdsPixel: (shop: string, token: string) => boolean
}

/**
 * A short token by which the script names its shop when the browser sends no origin: on a page
 * without a referrer, or in a sandboxed frame. Anyone who reads the script knows the token, so
 * events with it get only a lower limit (collector.ts `withoutOrigin`). It is short because every
 * shopper loads it: it is the whole query of the collector's address. `of` makes the token with the
 * first key; `holds` accepts a token of any key.
 */
export function collectTokens(keys: readonly [Uint8Array, ...Uint8Array[]]): CollectTokens {
  const by = (key: Uint8Array, shop: string) =>
    createHmac('sha256', key).update(`collect ${shop}`).digest('base64url').slice(0, 4)
  // The pixel's size does not matter, so its token can be long.
  const byPixel = (key: Uint8Array, shop: string) =>
    createHmac('sha256', key).update(`pixel ${shop}`).digest('base64url').slice(0, 22)
  return {
    of: shop => by(keys[0], shop),
    holds: (shop, token) => keys.some(key => by(key, shop) === token),
    ofPixel: shop => byPixel(keys[0], shop),
    holdsPixel: (shop, token) => keys.some(key => byPixel(key, shop) === token),
  }
}
