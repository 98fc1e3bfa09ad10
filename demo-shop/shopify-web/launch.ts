import { ownAddress } from '../../domain/stores/own-address.ts'
import { signature } from '../admin/app-link.ts'
import { idToken } from '../shopify/app/id-token.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import { staffId, type ShopifyApp } from './shopify-app.ts'

/** Parameters of the admin. Those of the same names in an asked address are dropped. */
const own = ['embedded', 'hmac', 'host', 'id_token', 'locale', 'session', 'shop', 'timestamp']

/** The path of a store's pages in the admin. */
export const storePath = `/admin/store/${shopifyShop.handle}`
/** What `host` says, in base64: the admin's host with the store's path, without a scheme. */
export const hostOf = (adminOrigin: string): string =>
  Buffer.from(`${new URL(adminOrigin).host}${storePath}`).toString('base64url')

/**
 * The app's address as the admin frames it, with the merchant's token and a signature over all
 * parameters. `path` (with query) must be on the app's own origin; null when it is not clearly so.
 */
export async function launchUrl(
  app: ShopifyApp,
  {
    adminOrigin,
    path,
    session,
    at,
  }: {
    adminOrigin: string
    path: string
    session: string
    at: Date
  },
): Promise<URL | null> {
  const url = path.startsWith('/') ? ownAddress(path, app.origin) : null
  if (!url) return null
  own.forEach(name => url.searchParams.delete(name))
  const said = {
    embedded: '1',
    host: hostOf(adminOrigin),
    id_token: await idToken(app, at, staffId, session),
    locale: 'en',
    session,
    shop: shopifyShop.domain,
    timestamp: String(Math.floor(at.getTime() / 1000)),
  }
  for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value)
  url.searchParams.set('hmac', signature([...url.searchParams], app.apiSecret))
  return url
}
