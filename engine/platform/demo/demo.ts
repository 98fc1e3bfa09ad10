import { createHmac, timingSafeEqual } from 'node:crypto'
import { jwtVerify } from 'jose'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Agent } from 'undici'
import { Capabilities } from '../../../domain/platform/capabilities.ts'
import { defaultCurrency } from '../../../domain/money.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { pageKinds, type PlatformAdapter } from '../adapter.ts'
import type { ScriptPublication } from '../script-publication.ts'
import { livePages } from '../live-pages.ts'
import { demoAddresses } from './demo-addresses.ts'
import { checked, demoAdmin } from './demo-admin.ts'
import { vendorCalls } from '../../http/vendor-calls.ts'
import { demoBilling } from './demo-billing.ts'
import { demoExperiments } from './demo-experiments.ts'
import { forOneShop } from './demo-one-shop.ts'
import { parseDemoOrder, readableOrders } from './demo-order.ts'
import { demoPageApis } from './demo-page-apis.ts'
import { demoPictures } from './demo-pictures.ts'
import { demoPixel } from './demo-pixel.ts'
import { demoProducts } from './demo-products.ts'
import { demoScript } from './demo-script.ts'
import { parseDemoShopper } from './demo-shopper.ts'
import { demoThemes } from './demo-themes.ts'
import { demoTopics, parseDemoProduct } from './demo-topics.ts'
import { calledShop, demoGrants, namingShop, tokensInMemory } from './demo-tokens.ts'
import { servedScript } from '../served-script.ts'
import { type TokenSource, withToken } from '../tokens.ts'

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
    taxesIncluded: Type.Optional(Type.Boolean()),
  }),
)
const checkCapabilities = Compile(Capabilities)
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
const checkChanged = Compile(
  Type.Object({ orders: Type.Array(Type.Unknown()), next: Type.Union([Text, Type.Null()]) }),
)
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
  /** The platform's name and the end of its shops' names, if they are not the demo's own. */
  name?: string
  suffix?: string
  /** Origin of the shop's admin, if it is not `shopOrigin`. */ adminOrigin?: string | undefined
  /** Where the tokens for its shop come from. Without it, they are kept in memory only. */
  tokens?: TokenSource
  /** Calls a second that the shop lets us make; by default any number. */
  rate?: number | undefined
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
  name = 'demo',
  suffix = demoSuffix,
  tokens,
  rate,
  clock = () => new Date(),
}: DemoPlatformOptions): PlatformAdapter {
  const hosts = (shop: string): boolean =>
    shop.endsWith(suffix) && /^[a-z0-9][a-z0-9-]{0,60}$/.test(shop.slice(0, -suffix.length))
  const key = new TextEncoder().encode(appSecret)
  const agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 10_000 })
  const ask = vendorCalls('shop')
  const grants = demoGrants({ shopOrigin, appKey, appSecret, agent, ask })
  const source = tokens ?? tokensInMemory(grants)
  const admin = demoAdmin({
    shopOrigin,
    withToken: call => withToken(source, calledShop(), call),
    agent,
    ask,
  })
  const pages = livePages(shopOrigin)
  const nameOf = async () => checked(checkShop, await admin.get('/admin/api/shop.json')).shop

  const ofTheShop = forOneShop(
    {
      ...demoThemes(admin, adminOrigin),
      ...demoPictures(admin),
      ...demoProducts(admin),
      ...demoBilling(admin),
      ...demoScript(admin),
      ...demoExperiments(admin, adminOrigin),
      ...demoPixel(admin),
      ...demoPageApis(admin),
      // The part first: pages that load the new script may ask for it at once.
      publishScript: async (
        _: string,
        script: Buffer,
        { isInline = false, part }: Pick<ScriptPublication, 'isInline' | 'part'>,
      ) => {
        if (part) await admin.put('/admin/api/script_part', part)
        return checked(
          checkScript,
          await admin.put(`/admin/api/script${isInline ? '?inline=1' : ''}`, script),
        )
      },
      removeScript: async (_: string) => {
        await admin.delete('/admin/api/script')
        await admin.delete('/admin/api/pixel')
      },
    },
    nameOf,
  )

  return namingShop({
    ...ofTheShop,
    ...pages,
    scriptFinding: servedScript(pages.fetchPage),
    ...grants,
    name,
    hosts,
    ...demoAddresses(shopOrigin, adminOrigin),
    replayKey: appSecret,
    rate: () => (rate === undefined ? null : { perSecond: rate, burst: Math.max(1, rate) }),
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
        const { iss, dest, sub, exp, iat, jti } = payload
        const shop =
          typeof dest === 'string' && dest.startsWith('https://')
            ? dest.slice('https://'.length)
            : ''
        if (iss !== dest || !hosts(shop) || exp! - iat! > 60 || !jti) throw refused
        return { shop, user: sub!, jti, expiresAt: new Date(exp! * 1_000) }
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
      return isSaid && hosts(shop) && !Number.isNaN(Date.parse(triggered_at))
        ? { topic, shop, deliveryId: id, triggeredAt: triggered_at }
        : null
    },

    topics: demoTopics,
    parseOrder: parseDemoOrder,
    parseProduct: parseDemoProduct,
    shop: async shop => {
      const { taxesIncluded = false, ...record } = checked(
        checkShop,
        await admin.get('/admin/api/shop.json'),
      )
      // This address serves one shop only. A merchant of another shop must not get its store.
      if (record.shop !== shop) throw new HttpProblem(502, 'The shop answered for another shop.')
      return { ...record, currency: record.currency ?? defaultCurrency, taxesIncluded }
    },
    capabilities: async () =>
      checked(checkCapabilities, await admin.get('/admin/api/capabilities.json')),
    merchant: async () => {
      const { first_name, last_name, ...merchant } = checked(
        checkMerchant,
        await admin.get('/admin/api/merchant.json'),
      )
      return { firstName: first_name, lastName: last_name, ...merchant }
    },
    logo: () => admin.file('/admin/api/logo.svg'),
    consent: () => Promise.resolve(null),
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
    changedOrders: async (_, { from, to, cursor }) => {
      const asked = new URLSearchParams({ changed_from: from, changed_to: to })
      if (cursor !== undefined) asked.set('after', cursor)
      const page = checked(checkChanged, await admin.get(`/admin/api/orders.json?${asked}`))
      return { ...readableOrders(page.orders), next: page.next }
    },
  })
}

/** Parses a body. Throws HttpProblem 400 when it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new HttpProblem(400, 'The body is not JSON.')
  }
}
