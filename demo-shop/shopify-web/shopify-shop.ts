import { shop } from '../shop.ts'

/** The shop as this platform knows it. */
export const shopifyShop = {
  domain: `${shop.handle}.myshopify.com`,
  handle: shop.handle,
  id: 69_001,
} as const

/** The app as this platform knows it. */
export type ShopifyApp = {
  /** The part of addresses that names it; its API key does so, too. */
  handle: string
  title: string
  apiKey: string
  apiSecret: string
  /** Where its pages are. */
  origin: string
}

/** The merchant's number on this platform, as tokens name it. */
export const staffId = '48001'
