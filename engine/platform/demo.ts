import { createHmac, timingSafeEqual } from 'node:crypto'
import { jwtVerify } from 'jose'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Agent } from 'undici'
import { defaultCurrency } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { pageKinds, type Platform } from './adapter.ts'
import { checked, demoAdmin } from './demo-admin.ts'
import { vendorCalls } from '../http/vendor-calls.ts'
import { demoBilling } from './demo-billing.ts'
import { forOneShop } from './demo-one-shop.ts'
import { parseDemoOrder } from './demo-order.ts'
import { demoPages } from './demo-pages.ts'
import { demoPictures } from './demo-pictures.ts'
import { demoProducts } from './demo-products.ts'
import { parseDemoShopper } from './demo-shopper.ts'
import { demoThemes } from './demo-themes.ts'

export const demoSuffix = '.demo-shop.test'
/** The shop that comes with the product. */
export const demoShop = `fern-and-kiln${demoSuffix}`

const Text = Type.String()
const checkShop = Compile(
  Type.Object({
    shop: Text,
    domain: Text,
    origin: Text,
    name: Text,
    currency: Type.Optional(Type.Union([Type.String({ pattern: '^[A-Z]{3}$' }), Type.Null()])),
    timeZone: Text,
    email: Text,
    themeId: Text,
  }),
)
const checkMerchant = Compile(
  Type.Object({
    first_name: Text,
    last_name: Text,
    email: Text,
    phone: Type.Union([Text, Type.Null()]),
  }),
)
const checkFoundPages = Compile(
  Type.Array(Type.Object({ path: Text, title: Text, kind: Type.Enum([...pageKinds]) })),
)
const checkScript = Compile(Type.Object({ url: Text }))
const Redirect = Type.Object({ id: Text, path: Text, target: Text })
const checkRedirect = Compile(Redirect)
const checkRedirects = Compile(Type.Array(Redirect))
const checkOrders = Compile(Type.Array(Type.Unknown()))
const checkSigned = Compile(
  Type.Object({
    delivery: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 200 }),
      topic: Text,
      shop: Text,
      triggered_at: Text,
    }),
  }),
)

export type DemoPlatformOptions = {
  appKey: string
  appSecret: string
  shopOrigin: string
  /** Origin of the shop's admin, if it is not `shopOrigin`. */ adminOrigin?: string | undefined
  clock?: () => Date
}
/**
 * Implements the platform interface for the demo shop, over its admin API. `close` ends its
 * connections.
 */
export function demoPlatform({
  appKey,
  appSecret,
  shopOrigin,
  adminOrigin = shopOrigin,
  clock = () => new Date(),
}: DemoPlatformOptions): Platform {
  const key = new TextEncoder().encode(appSecret)
  const agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 10_000 })
  const ask = vendorCalls('shop')
  const admin = demoAdmin({ shopOrigin, appSecret, agent, ask })
  const pages = demoPages(shopOrigin, ask)
  const nameOf = async () => checked(checkShop, await admin.get('/admin/api/shop.json')).shop

  const ofTheShop = forOneShop(
    {
      ...demoThemes(admin),
      ...demoPictures(admin),
      ...demoProducts(admin),
      ...demoBilling(admin),
      publishScript: async (_: string, script: Buffer, { isInline = false } = {}) =>
        checked(
          checkScript,
          await admin.put(`/admin/api/script${isInline ? '?inline=1' : ''}`, script),
        ),
      removeScript: async (_: string) => void (await admin.delete('/admin/api/script')),
    },
    nameOf,
  )

  return {
    ...ofTheShop,
    ...pages,
    name: 'demo',
    // The address of an order's page ends with the number in its name: "#1042" is at 1042.
    orderAddress: (_, { name }) =>
      /^#\d+$/.test(name) ? `${adminOrigin}/admin/orders/${name.slice(1)}` : null,
    close: async () => {
      await agent.close()
      await pages.close()
    },

    verifyIdToken: async idToken => {
      const refused = new HttpProblem(
        401,
        'The sign-in token is not valid, or older than a minute.',
      )
      try {
        const { payload } = await jwtVerify(idToken, key, {
          algorithms: ['HS256'],
          audience: appKey,
          requiredClaims: ['iss', 'dest', 'sub', 'exp', 'nbf', 'iat', 'jti'],
          clockTolerance: 10,
          currentDate: clock(),
        })
        const { iss, dest, sub, exp, iat } = payload
        const shop =
          typeof dest === 'string' && dest.startsWith('https://')
            ? dest.slice('https://'.length)
            : ''
        if (iss !== dest || !isShop(shop) || exp! - iat! > 60) throw refused
        return { shop, user: sub! }
      } catch {
        throw refused
      }
    },

    verifyWebhook: (headers, rawBody) => {
      const signature = headers['x-demo-hmac-sha256']
      if (typeof signature !== 'string') return null
      const given = Buffer.from(signature, 'base64'),
        right = createHmac('sha256', appSecret).update(rawBody).digest()
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      const body = parsed(rawBody)
      if (!checkSigned.Check(body)) return null
      // The signature does not cover the headers, so the body must contain the same values.
      const { id, topic, shop, triggered_at } = body.delivery
      const isSaid =
        headers['x-demo-delivery-id'] === id &&
        headers['x-demo-topic'] === topic &&
        headers['x-demo-shop'] === shop &&
        headers['x-demo-triggered-at'] === triggered_at
      return isSaid && isShop(shop) && !Number.isNaN(Date.parse(triggered_at))
        ? { topic, shop, deliveryId: id, triggeredAt: triggered_at }
        : null
    },

    parseOrder: parseDemoOrder,
    shop: async shop => {
      const record = checked(checkShop, await admin.get('/admin/api/shop.json'))
      // This address serves one shop only. A merchant of another shop must not get its store.
      if (record.shop !== shop) throw new HttpProblem(502, 'The shop answered for another shop.')
      return { ...record, currency: record.currency ?? defaultCurrency }
    },
    merchant: async () => {
      const { first_name, last_name, ...merchant } = checked(
        checkMerchant,
        await admin.get('/admin/api/merchant.json'),
      )
      return { firstName: first_name, lastName: last_name, ...merchant }
    },
    logo: () => admin.file('/admin/api/logo.svg'),
    searchPages: async (_, text) =>
      checked(
        checkFoundPages,
        await admin.get(`/admin/api/pages.json?search=${encodeURIComponent(text)}`),
      ),
    createUrlRedirect: async (_, { path, target }) => ({
      id: checked(
        checkRedirect,
        await admin.post('/admin/api/url_redirects.json', { path, target }),
      ).id,
    }),
    deleteUrlRedirect: async (_, id) =>
      void (await admin.delete(`/admin/api/url_redirects/${encodeURIComponent(id)}`)),
    urlRedirects: async () =>
      checked(checkRedirects, await admin.get('/admin/api/url_redirects.json')),
    ordersOf: async (_, customer) =>
      checked(
        checkOrders,
        await admin.get(`/admin/api/orders.json?customer=${encodeURIComponent(customer)}`),
      ).map(order => parseDemoOrder(order).id),
    parseShopper: parseDemoShopper,
    orders: async (_, from, to) =>
      checked(
        checkOrders,
        await admin.get(`/admin/api/orders.json?${new URLSearchParams({ from, to })}`),
      ).map(parseDemoOrder),
  }
}

/** Parses a body. Throws HttpProblem 400 when it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new HttpProblem(400, 'The body is not JSON.')
  }
}

const isShop = (shop: string): boolean => /^[a-z0-9][a-z0-9-]{0,60}\.demo-shop\.test$/.test(shop)
