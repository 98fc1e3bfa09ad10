import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { adminPage } from '../admin/admin-page.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import { fieldsOf, text } from '../forms.ts'
import { idToken } from '../shopify/app/id-token.ts'
import { shop } from '../shop.ts'
import { appBridgeScript } from './app-bridge.ts'
import type { AppScopes } from './app-scopes.ts'
import { frameScript } from './frame-script.ts'
import { launchUrl, storePath } from './launch.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import { staffId, type ShopifyApp } from './shopify-app.ts'

/** An extension of the app, as the admin tells the app about it. */
export type ExtensionState = {
  handle: string
  type: 'theme_app_extension'
  activations: {
    target: 'head' | 'body'
    handle: string
    name: string
    status: 'active' | 'available' | 'unavailable'
    activations: { target: string; themeId: string }[]
  }[]
}
export type AdminFrameOptions = {
  app: ShopifyApp
  adminOrigin: string
  clock: () => Date
  views: PlatformViews
  isSecure: boolean
  isInstalled: () => boolean
  scopes: AppScopes
  extensions: () => ExtensionState[]
}
type OfApp = { Params: { store: string; app: string } }

const sessionCookie = 'shop_admin'

/** The admin's pages around the app, and what App Bridge asks them. */
export const adminFrame: FastifyPluginAsync<AdminFrameOptions> = async (
  server,
  { app, adminOrigin, clock, views, isSecure, isInstalled, scopes, extensions },
) => {
  const page = adminPage(views)
  const script = appBridgeScript(adminOrigin)
  const base = `${storePath}/apps/${app.handle}`
  const sessionOf = (request: FastifyRequest, reply: FastifyReply): string => {
    const known = request.cookies[sessionCookie]
    if (known && /^[0-9a-f-]{36}$/.test(known)) return known
    const session = randomUUID()
    reply.setCookie(sessionCookie, session, {
      path: '/admin',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
    })
    return session
  }
  const requireApp = ({ params }: FastifyRequest<OfApp>): void => {
    if (params.store !== shopifyShop.handle || ![app.handle, app.apiKey].includes(params.app))
      throw new HttpProblem(404, 'There is no such app in this store.')
  }
  const frame = async (request: FastifyRequest<OfApp>, reply: FastifyReply) => {
    requireApp(request)
    if (!isInstalled()) return reply.redirect(`${storePath}/settings/apps`, 303)
    const rest = request.url.slice(`${storePath}/apps/${request.params.app}`.length)
    // The app's own page at an address by its key has the address by its name.
    if (request.params.app !== app.handle) return reply.redirect(base + rest, 302)
    const src = await launchUrl(app, {
      adminOrigin,
      path: rest.startsWith('/') ? rest : `/${rest}`,
      session: sessionOf(request, reply),
      at: clock(),
    })
    if (!src) throw new HttpProblem(400, 'This is no page of the app.')
    return page(reply, 'shopify-app', {
      at: 'shopify-app',
      src: src.href,
      app: app.origin,
      title: app.title,
      base,
      store: storePath,
      script: `(${frameScript})()`,
    })
  }

  // The real script has one address for all versions, so browsers ask for it again.
  server.get('/app-bridge.js', (_, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=60')
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(script),
  )
  server.get<OfApp>('/admin/store/:store/apps/:app', frame)
  server.get<OfApp>('/admin/store/:store/apps/:app/*', frame)

  const user = { id: Number(staffId), name: shop.merchant.name, email: shop.merchant.email }
  const calls: Record<string, (list: string[], session: string) => unknown> = {
    idToken: (_, session) => idToken(app, clock(), staffId, session),
    user: () => ({ ...user, accountAccess: 'account owner' }),
    extensions,
    'scopes.query': scopes.current,
    'scopes.grant': list => {
      scopes.grant(list)
      return { result: 'granted-all', detail: scopes.current() }
    },
    'scopes.decline': () => ({ result: 'declined-all', detail: scopes.current() }),
    'scopes.revoke': list => {
      scopes.revoke(list)
      return { detail: scopes.current() }
    },
  }
  // Only the page around the frame asks this, when the app asks that page. Other sites cannot.
  server.post<OfApp>('/admin/store/:store/apps/:app/bridge', async (request, reply) => {
    requireApp(request)
    if (!isInstalled()) throw new HttpProblem(404, 'The app is not installed.')
    const { call, args } = fieldsOf(request)
    const name = text(call)
    if (!Object.hasOwn(calls, name)) throw new HttpProblem(422, `App Bridge has no “${name}”.`)
    const [first] = Array.isArray(args) ? args : []
    const list = Array.isArray(first) ? first.map(text) : []
    return reply
      .header('cache-control', 'no-store')
      .send({ value: await calls[name]!(list, sessionOf(request, reply)) })
  })
}
