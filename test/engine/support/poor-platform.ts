import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { poorest } from '../../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { PlatformAddresses } from '../../../engine/platform/addresses.ts'
import type { Platform, PlatformAdapter } from '../../../engine/platform/adapter.ts'
import {
  GrantRefused,
  TokenRefused,
  type TokenSource,
  withToken,
} from '../../../engine/platform/tokens.ts'
import { firstShop } from './small-shop.ts'

export const poorShop = 'fern-and-kiln.poor-shop.test'
const secret = 'poor-platform-secret-of-the-tests'
const access = 'poor-access-token'
const key = new TextEncoder().encode(secret)

const handleOf = (shop: string): string => shop.split('.')[0]!
const admin = 'https://admin.poor-platform.test'
const storeUrl = (shop: string): string => `${admin}/store/${handleOf(shop)}`
/**
 * The platform's addresses: one admin for all shops, which may frame the app beside the shop's own
 * host, and pictures on a host of its own. It has no address to sign in at.
 */
const poorAddresses: PlatformAddresses & Pick<PlatformAdapter, 'entrance'> = {
  adminUrl: (shop, page) => `${storeUrl(shop)}/${page}`,
  appUrl: shop => `${storeUrl(shop)}/apps/twinshelf`,
  signInUrl: () => null,
  addressMessage: () => null,
  tokenMessage: () => null,
  adminScript: () => null,
  themeUrl: (shop, id) => `${storeUrl(shop)}/themes/${encodeURIComponent(id)}/editor`,
  themeFileUrl: (shop, id) => `${storeUrl(shop)}/themes/${encodeURIComponent(id)}?key=`,
  themePreviewPath: (_, id) => `/?theme=${encodeURIComponent(id)}`,
  orderAddress: (shop, { id }) => `${storeUrl(shop)}/orders/${encodeURIComponent(id)}`,
  frameAncestors: shop => [`https://${shop}`, admin],
  adminOrigins: shop => [`https://${shop}`, admin],
  sources: () => ({
    scripts: ['https://cdn.poor-platform.test'],
    images: ['https://cdn.poor-platform.test'],
    frames: [],
  }),
  entrance: { label: 'Poor platform', admin, app: `${admin}/apps/twinshelf`, session: null },
}

/**
 * A second platform for tests. Behind it stands a demo shop, which it knows under another name; its
 * sign-in tokens, its webhooks and its access token, which never expires, are its own. It knows no
 * other shop.
 */
export function poorPlatform(
  { ownGrant: _, ...shopBehind }: PlatformAdapter,
  tokens: TokenSource = async () => access,
): PlatformAdapter {
  type AnyCall = (shop: string, ...rest: unknown[]) => unknown
  const renamed = Object.fromEntries(
    Object.entries(shopBehind)
      .filter(([, call]) => typeof call === 'function')
      .map(([name, call]) => [
        name,
        async (shop: string, ...rest: unknown[]) => {
          if (shop !== poorShop) throw new HttpProblem(404, 'There is no such shop here.')
          return withToken(tokens, shop, async token => {
            if (token !== access) throw new TokenRefused()
            return (call as unknown as AnyCall)(firstShop, ...rest)
          })
        },
      ]),
  ) as unknown as Platform
  return {
    ...renamed,
    name: 'poor',
    hosts: shop => /^[a-z0-9][a-z0-9-]{0,60}\.poor-shop\.test$/.test(shop),
    rate: () => null,
    ...poorAddresses,
    capabilities: async () => poorest,
    exchange: async () => ({
      accessToken: access,
      accessSeconds: null,
      refreshToken: null,
      refreshSeconds: null,
    }),
    refresh: async () => {
      throw new GrantRefused()
    },
    shop: async shop => ({ ...(await renamed.shop(shop)), shop, domain: shop }),
    verifyIdToken: async idToken => {
      try {
        const { payload } = await jwtVerify(idToken, key, { audience: 'poor-app' })
        return {
          shop: String(payload['shop']),
          user: String(payload.sub),
          jti: String(payload.jti),
          expiresAt: new Date(payload.exp! * 1_000),
        }
      } catch {
        throw new HttpProblem(401, 'The sign-in token is not valid.')
      }
    },
    verifyWebhook: (headers, rawBody) => {
      const given = Buffer.from(String(headers['x-poor-signature']), 'hex'),
        right = createHmac('sha256', secret).update(rawBody).digest()
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      const { topic, shop, id, at } = JSON.parse(rawBody.toString()) as Record<string, string>
      return { topic: topic!, shop: shop!, deliveryId: id!, triggeredAt: at! }
    },
    topics: shopBehind.topics,
    parseOrder: shopBehind.parseOrder,
    parseProduct: shopBehind.parseProduct,
    parseShopper: shopBehind.parseShopper,
    parseSubscription: shopBehind.parseSubscription,
    close: shopBehind.close,
  }
}

/** The token with which the platform signs a merchant in. */
export const poorToken = (shop = poorShop): Promise<string> =>
  new SignJWT({ shop })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('poor-app')
    .setSubject('7')
    .setJti(randomUUID())
    .setExpirationTime('1 minute')
    .sign(key)

/** A signed delivery of the platform. */
export function poorDelivery(delivery: Record<string, unknown>) {
  const body = JSON.stringify(delivery)
  return {
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-poor-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  }
}
