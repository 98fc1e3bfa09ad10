import type { FastifyInstance } from 'fastify'
import type { PlatformViews } from '../admin/platform-views.ts'
import type { ShopState } from '../shop-state.ts'
import { usualScopes, type ShopifyFace } from '../shopify/face.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import { adminFrame } from './admin-frame.ts'
import { openAppScopes, type AppScopes } from './app-scopes.ts'
import { appsAdmin } from './apps-admin.ts'
import { openLeaving, type Leaving } from './leaving.ts'
import type { ShopifyApp } from './shopify-app.ts'
import { storePages } from './store-pages.ts'
import type { WebOptions, WebState } from './web-state.ts'

/** What the platform does outside its admin API. */
export type ShopifyWeb = WebState & { scopes: AppScopes; leaving: Leaving }

export async function shopifyWeb(
  server: FastifyInstance,
  state: ShopState,
  face: ShopifyFace,
  {
    app,
    adminOrigin,
    isSecure,
    views,
    optionalScopes = [],
  }: {
    app: ShopifyApp
    adminOrigin: string
    isSecure: boolean
    views: PlatformViews
  } & Pick<WebOptions, 'optionalScopes'>,
): Promise<ShopifyWeb> {
  const { db, clock } = state,
    web = state.web!,
    { installation, settings } = face
  const { deliveries, link } = web
  link.isInstalled = installation.isInstalled
  link.scopes = () => settings.current().scopes
  const scopes = openAppScopes(
    settings,
    { required: usualScopes, optional: optionalScopes },
    (previous, current) => {
      if (!installation.isInstalled()) return
      const at = clock()
      const said = { id: Number(shopifyShop.id), previous, current, updated_at: at.toISOString() }
      deliveries.write('app/scopes_update', said, at)
      deliveries.wake()
    },
  )
  const leaving = openLeaving(db, clock, web, installation)
  await server.register(storePages)
  await server.register(appsAdmin, { app, installation, leaving, deliveries, views })
  await server.register(adminFrame, {
    app,
    adminOrigin,
    clock,
    views,
    isSecure,
    isInstalled: installation.isInstalled,
    scopes,
    extensions: () => [],
  })
  return { ...web, scopes, leaving }
}
