import type { FastifyBaseLogger } from 'fastify'

/** What a demo shop is built with. */
export type DemoShopOptions = {
  /** Where shoppers reach the shop. */
  origin: string
  /** Where its back office is reached; at the shop's own unless said otherwise. */
  adminOrigin?: string
  /** What opens the back office; whoever comes is the merchant without one. */
  adminPassword?: string | undefined
  isAdminClosed?: boolean
  /** The app that the admin frames, and may frame the shop's pages in its editor. */
  appOrigin: string
  /** Where webhooks go. */
  engineOrigin: string
  dataDir: string
  /** The app's credentials on this platform: audience of sign-in tokens; key of tokens, webhooks and admin API. */
  appKey: string
  appSecret: string
  clock?: () => Date
  /** Whether the shop comes with a subscription to the app; yes unless said otherwise. */
  startsSubscribed?: boolean
  /** Milliseconds until a webhook that was not taken is tried again for the first time. */
  webhookWait?: number
  /** Orders that strangers may place in a minute; any number unless said otherwise. */
  ordersAMinute?: number | null
  /** Whether the disk under a folder has room for more. */
  hasRoom?: ((folder: string) => boolean) | undefined
  log?: FastifyBaseLogger | undefined
}
