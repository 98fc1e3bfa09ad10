import type { FastifyBaseLogger } from 'fastify'
import type { TokenLife } from './apps/app-tokens.ts'
import type { ShopifyFaceOptions } from './shopify/face.ts'
import type { WebOptions } from './shopify-web/web-state.ts'
import type { Capabilities } from '../domain/platform/capabilities.ts'

/** What a demo shop is built with. */
export type DemoShopOptions = {
  /** Where shoppers reach the shop. */
  origin: string
  /** Where its back office is reached; by default at the shop's origin. */
  adminOrigin?: string
  /** The password of the back office. Without one, anyone who comes is the merchant. */
  adminPassword?: string | undefined
  isAdminClosed?: boolean
  /** The app, which the admin frames, and which may frame the shop's pages in its editor. */
  appOrigin: string
  /** Where webhooks go. */
  engineOrigin: string
  dataDir: string
  /**
   * The app's credentials on this platform: audience of sign-in tokens; key of tokens, webhooks and
   * admin API.
   */
  appKey: string
  appSecret: string
  clock?: () => Date
  /** Seconds that the app's tokens are valid; by default an hour and 90 days. */
  tokenLife?: TokenLife
  /** For tests: a token that the admin API accepts from the beginning. */
  knownToken?: string | undefined
  /** What it can do until its merchant changes that; by default everything. */
  capabilities?: Capabilities
  /** For tests and benchmarks: products beside those of the catalogue's files. */
  moreProducts?: number
  /** For tests: a product with as many product variants as platforms allow. */
  hasLargestProduct?: boolean
  /** Whether a new shop has a subscription to the app; by default it has. */
  startsSubscribed?: boolean
  /** Milliseconds until a webhook that was not accepted is tried again for the first time. */
  webhookWait?: number
  /** How many orders strangers may place per minute; by default any number. */
  ordersAMinute?: number | null
  /** Whether the disk under a folder has room for more. */
  hasRoom?: ((folder: string) => boolean) | undefined
  /** Its second face, as a shop of Shopify; by default it has none. */
  shopify?: (Omit<ShopifyFaceOptions, 'origin' | 'adminOrigin'> & WebOptions) | null | undefined
  /** Whether the demo's own app is in the shop, too, and told; by default it is. */
  hasDemoApp?: boolean
  log?: FastifyBaseLogger | undefined
}
