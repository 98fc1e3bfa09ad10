import { createHmac, timingSafeEqual } from 'node:crypto'
import { jwtVerify } from 'jose'
import { Agent, request } from 'undici'
import { HttpProblem } from '../../domain/problem.ts'
import { publicAgent } from '../public-hosts.ts'
import type { Platform, PlatformOrder, ShopPage, ShopRecord } from './adapter.ts'
import { demoBilling } from './demo-billing.ts'
import { parseDemoOrder } from './demo-order.ts'

export const demoSuffix = '.demo-shop.test'
/** The shop that comes with the product. */
export const demoShop = `fern-and-kiln${demoSuffix}`

const timeout = 5_000
const pageBytes = 2_000_000

export type DemoPlatformOptions = { appKey: string; appSecret: string; shopOrigin: string; clock?: () => Date }
/** The demo shop's side of the platform interface, over its admin API. `close` ends its connections. */
export function demoPlatform({ appKey, appSecret, shopOrigin, clock = () => new Date() }: DemoPlatformOptions): Platform & { close: () => Promise<void> } {
  const key = new TextEncoder().encode(appSecret)
  const agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 10_000 })
  // A page's address is what a merchant wrote; a shop on this very machine is the one exception to public addresses.
  const isLocal = ['localhost', '127.0.0.1'].includes(new URL(shopOrigin).hostname)
  const pages = isLocal ? agent : publicAgent()

  async function admin(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: Buffer | object): Promise<unknown> {
    let status: number, text: string
    try {
      const response = await request(shopOrigin + path, {
        method, dispatcher: agent, headersTimeout: timeout, bodyTimeout: timeout, signal: AbortSignal.timeout(timeout),
        headers: { authorization: `Bearer ${appSecret}`, ...(body && { 'content-type': Buffer.isBuffer(body) ? 'text/javascript' : 'application/json' }) },
        body: body === undefined || Buffer.isBuffer(body) ? body ?? null : JSON.stringify(body),
      })
      status = response.statusCode
      text = await response.body.text()
    } catch (error) {
      throw unreachable(error)
    }
    if (status !== 200) throw new HttpProblem(502, `The shop answered ${status}.`)
    try {
      return JSON.parse(text)
    } catch (error) {
      throw unreachable(error)
    }
  }

  return {
    ...demoBilling({ get: path => admin('GET', path), post: (path, body) => admin('POST', path, body), put: (path, body) => admin('PUT', path, body), delete: path => admin('DELETE', path) }),
    name: 'demo',
    close: async () => {
      await agent.close()
      if (pages !== agent) await pages.close()
    },

    verifyIdToken: async idToken => {
      const refused = new HttpProblem(401, 'The sign-in token is not valid, or older than a minute.')
      try {
        const { payload } = await jwtVerify(idToken, key, {
          algorithms: ['HS256'], audience: appKey, requiredClaims: ['iss', 'dest', 'sub', 'exp', 'nbf', 'iat', 'jti'], clockTolerance: 10, currentDate: clock(),
        })
        const { iss, dest, sub, exp, iat } = payload
        const shop = typeof dest === 'string' && dest.startsWith('https://') ? dest.slice('https://'.length) : ''
        if (iss !== dest || !isShop(shop) || exp! - iat! > 60) throw refused
        return { shop, user: sub! }
      } catch {
        throw refused
      }
    },

    verifyWebhook: (headers, rawBody) => {
      const [topic, shop, deliveryId, triggeredAt, signature] = ['topic', 'shop', 'delivery-id', 'triggered-at', 'hmac-sha256'].map(name => headers[`x-demo-${name}`])
      if (typeof signature !== 'string' || typeof topic !== 'string' || typeof shop !== 'string' || typeof deliveryId !== 'string' || typeof triggeredAt !== 'string') return null
      const given = Buffer.from(signature, 'base64'), right = createHmac('sha256', appSecret).update(rawBody).digest()
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      return isShop(shop) && deliveryId !== '' && deliveryId.length <= 200 && !Number.isNaN(Date.parse(triggeredAt)) ? { topic, shop, deliveryId, triggeredAt } : null
    },

    parseOrder: parseDemoOrder,
    shop: async shop => {
      const record = await admin('GET', '/admin/api/shop.json') as ShopRecord
      // There is one shop behind this address: another's merchant must not be given its store.
      if (record.shop !== shop) throw new HttpProblem(502, 'The shop answered for another shop.')
      return record
    },
    searchPages: async (_, text) => await admin('GET', `/admin/api/pages.json?search=${encodeURIComponent(text)}`) as ShopPage[],
    publishScript: async (_, script) => await admin('PUT', '/admin/api/script', script) as { url: string },
    orders: async (_, from, to): Promise<PlatformOrder[]> =>
      (await admin('GET', `/admin/api/orders.json?${new URLSearchParams({ from, to })}`) as unknown[]).map(parseDemoOrder),

    pageExists: async (_, url) => {
      try {
        // Redirects are not followed: they could lead anywhere.
        const response = await request(url, { dispatcher: pages, headersTimeout: timeout, bodyTimeout: timeout, signal: AbortSignal.timeout(timeout) })
        await response.body.dump({ limit: pageBytes })
        return response.statusCode === 200
      } catch {
        return false
      }
    },
  }
}

const isShop = (shop: string): boolean => /^[a-z0-9][a-z0-9-]{0,60}\.demo-shop\.test$/.test(shop)
const unreachable = (cause: unknown) => Object.assign(new HttpProblem(502, 'The shop could not be reached.'), { cause })
