import { shop } from '../shop.ts'

/** What the one shop of this stand-in is called on this platform. */
export const shopifyShop = {
  /** The shop's name to apps. */
  domain: `${shop.handle}.myshopify.com`,
  handle: shop.handle,
  id: '7001',
  appId: '9001',
  installationId: '9101',
} as const
