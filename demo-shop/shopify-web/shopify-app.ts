/** The app as the platform knows it. */
export type ShopifyApp = {
  /** The part of addresses that names it; its API key does so, too. */
  handle: string
  title: string
  apiKey: string
  apiSecret: string
  /** Where its pages are. */
  origin: string
}

/** The merchant's number on the platform, as tokens name it. */
export const staffId = '70001'
