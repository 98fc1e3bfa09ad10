import type { ArmIndex } from '../arm.ts'

/** What our checkout pixel sends about an order (storefront/pixel/pixel.ts). */
export type PixelMessage = {
  v: 1
  shop: string
  visitor: string
  /** The platform's id of the order. */
  order: string
  /** The platform loads the pixel only with consent. A message that does not say so is refused. */
  consent: true
  /**
   * The visitor's tests and arms as the browser remembers them. Figures never use them: the
   * engine's own record of the visitor decides.
   */
  tests: Record<string, ArmIndex>
}

/** What the platform hands to our pixel, as text. */
export type PixelSettings = {
  shop: string
  /** Absolute URL of the collector of these messages, with the pixel's token. */
  collect: string
}

export const pixelLimits = {
  /** Most bytes of a message. */
  bytes: 4 * 1024,
  tests: 50,
  /** Messages a minute from one address, and for one shop. */
  perAddress: 10,
  perShop: 300,
} as const
