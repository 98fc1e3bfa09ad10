import type { PixelSettings } from '../../domain/orders/pixel.ts'

/**
 * What a platform's sandbox offers to a checkout pixel. The pixel cannot reach the page: it gets
 * events, and it may ask for one cookie or one entry of local storage by name. Hosted platforms
 * offer these calls under these names.
 */
export type Sandbox = {
  settings: PixelSettings
  analytics: {
    subscribe: (event: 'checkout_completed', act: (event: CheckoutCompleted) => unknown) => unknown
  }
  browser: {
    cookie: { get: (name: string) => Promise<string | undefined> }
    localStorage: { getItem: (name: string) => Promise<string | null> }
  }
}
export type CheckoutCompleted = {
  /** The platform's own name for the browser. We do not use it. */
  clientId?: string
  data: { checkout: { order?: { id?: string | number | null } | null } }
}
