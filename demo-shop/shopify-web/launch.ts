import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { ownAddress } from '../../domain/stores/own-address.ts'
import { signature } from '../admin/app-link.ts'
import { shopifyShop, staffId, type ShopifyApp } from './shopify-shop.ts'

/** Seconds that a merchant's token is valid. */
const tokenLife = 60
/** Parameters of the admin. Those of the same names in an asked address are dropped. */
const own = ['embedded', 'hmac', 'host', 'id_token', 'locale', 'session', 'shop', 'timestamp']

/** The path of a store's pages in the admin. */
export const storePath = `/admin/store/${shopifyShop.handle}`
/** What `host` says, in base64: the admin's host with the store's path, without a scheme. */
export const hostOf = (adminOrigin: string): string =>
  Buffer.from(`${new URL(adminOrigin).host}${storePath}`).toString('base64url')

/** The merchant's one-minute token for the app. */
export function idToken(
  { apiKey, apiSecret }: Pick<ShopifyApp, 'apiKey' | 'apiSecret'>,
  session: string,
  at: Date,
): Promise<string> {
  const seconds = Math.floor(at.getTime() / 1000)
  return new SignJWT({ dest: `https://${shopifyShop.domain}`, sid: session })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(`https://${shopifyShop.domain}/admin`)
    .setAudience(apiKey)
    .setSubject(staffId)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + tokenLife)
    .sign(new TextEncoder().encode(apiSecret))
}

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
    id_token: await idToken(app, session, at),
    locale: 'en',
    session,
    shop: shopifyShop.domain,
    timestamp: String(Math.floor(at.getTime() / 1000)),
  }
  for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value)
  url.searchParams.set('hmac', signature([...url.searchParams], app.apiSecret))
  return url
}
