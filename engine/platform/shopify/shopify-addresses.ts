import { themeParameter } from '../../../domain/events/page-facts.ts'
import type { PlatformAddresses, PlatformEntrance } from '../addresses.ts'
import type { ShopifyConfig } from './shopify-config.ts'
import { handleOf } from './client/shopify-ids.ts'

const pages = { home: '', settings: '/settings/general', themes: '/themes' } as const
const shopifyAdmin = 'https://admin.shopify.com'
const shopifyFiles = 'https://cdn.shopify.com'

/**
 * Where Shopify has its pages. Its admin loads our pages in a frame and answers their script (App
 * Bridge), so no page need send it messages, and the only way to sign in is to open the app there.
 * A stand-in has everything at its own origin.
 */
export function shopifyAddresses({
  standIn,
  apiKey,
  appHandle,
}: Pick<ShopifyConfig, 'standIn' | 'apiKey' | 'appHandle'>): PlatformAddresses & {
  entrance: PlatformEntrance
} {
  const origin = standIn ?? shopifyAdmin
  const admin = (shop: string) =>
    standIn ? `${standIn}/admin/store/${handleOf(shop)}` : `${shopifyAdmin}/store/${handleOf(shop)}`
  const theme = (shop: string, id: string) => `${admin(shop)}/themes/${encodeURIComponent(id)}`
  return {
    adminUrl: (shop, page) => admin(shop) + pages[page],
    appUrl: shop => `${admin(shop)}/apps/${appHandle}`,
    signInUrl: () => null,
    addressMessage: () => null,
    tokenMessage: () => null,
    adminScript: () => ({
      address: standIn ? `${standIn}/app-bridge.js` : `${shopifyFiles}/shopifycloud/app-bridge.js`,
      metas: [
        { name: 'shopify-api-key', content: apiKey },
        // Its header would stand for a session that the page holds itself (decision 075).
        { name: 'shopify-disabled-features', content: 'fetch' },
      ],
      part: 'app-bridge.js',
    }),
    themeUrl: (shop, id) => `${theme(shop, id)}/editor`,
    themeFileUrl: (shop, id) => `${theme(shop, id)}?key=`,
    themePreviewPath: (_, id) => `/?${themeParameter}=${encodeURIComponent(id)}`,
    orderAddress: (shop, { id }) => `${admin(shop)}/orders/${encodeURIComponent(id)}`,
    frameAncestors: shop => (standIn ? [standIn] : [`https://${shop}`, shopifyAdmin]),
    adminOrigins: () => [origin],
    sources: () => ({
      scripts: [standIn ?? shopifyFiles],
      images: [standIn ?? shopifyFiles],
      frames: standIn ? [standIn] : [],
    }),
    entrance: {
      label: 'Shopify',
      admin: standIn ? `${standIn}/admin` : shopifyAdmin,
      app: `${standIn ? `${standIn}/admin` : shopifyAdmin}/apps/${appHandle}`,
      session: null,
    },
  }
}
