import { createHmac, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { ownAddress } from '../../domain/stores/own-address.ts'
import { shop } from '../shop.ts'

export type AppLinkOptions = {
  appOrigin: string
  appKey: string
  appSecret: string
  clock: () => Date
}
/**
 * Query parameters that the admin sets. Parameters with these names in the requested address are
 * dropped.
 */
const own = ['embedded', 'shop', 'host', 'timestamp', 'hmac', 'id_token']
const tokenLife = 60

/**
 * The app's address as the admin frames it, with the merchant's one-minute token and a signature
 * over all parameters. `path` (with query) must be on the app's own origin; returns null when it is
 * not clearly so.
 */
export async function appLink(
  { appOrigin, appKey, appSecret, clock }: AppLinkOptions,
  path: string,
  session: string,
): Promise<URL | null> {
  const url = path.startsWith('/') ? ownAddress(path, appOrigin) : null
  if (!url) return null
  own.forEach(name => url.searchParams.delete(name))
  const seconds = Math.floor(clock().getTime() / 1000)
  const token = await idToken({ appKey, appSecret, clock }, session)
  const said = {
    embedded: '1',
    shop: shop.shop,
    host: Buffer.from(`${shop.shop}/admin`).toString('base64url'),
    timestamp: String(seconds),
    id_token: token,
  }
  for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value)
  url.searchParams.set('hmac', signature([...url.searchParams], appSecret))
  return url
}

/** The merchant's one-minute token for the app. */
export function idToken(
  { appKey, appSecret, clock }: Omit<AppLinkOptions, 'appOrigin'>,
  session: string,
): Promise<string> {
  const seconds = Math.floor(clock().getTime() / 1000)
  const issuer = `https://${shop.shop}`
  return new SignJWT({ dest: issuer, sid: session })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(appKey)
    .setSubject(shop.merchant.id)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + tokenLife)
    .sign(new TextEncoder().encode(appSecret))
}

/**
 * HMAC-SHA256, hex, over the parameters without `hmac`, sorted by name, percent-encoded, joined by
 * `&`.
 */
export function signature(
  parameters: (readonly [name: string, value: string])[],
  secret: string,
): string {
  const text = parameters
    .filter(([name]) => name !== 'hmac')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
  return createHmac('sha256', secret).update(text).digest('hex')
}
