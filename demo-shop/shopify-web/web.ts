import type { FastifyInstance } from 'fastify'
import type { PlatformViews } from '../admin/platform-views.ts'
import type { Order } from '../orders/order.ts'
import type { ShopState } from '../shop-state.ts'
import { gid } from '../shopify/api/gid.ts'
import { installationId } from '../shopify/app/app-answers.ts'
import { fullNamespace } from '../shopify/app/metafields.ts'
import { usualScopes, type ShopifyFace } from '../shopify/face.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import { adminFrame } from './admin-frame.ts'
import { ownAppConfig } from './app-config.ts'
import { openAppScopes, type AppScopes } from './app-scopes.ts'
import { appsAdmin } from './apps-admin.ts'
import { chargePages } from './billing/charge-pages.ts'
import { type Deployed, readDeployed } from './deployed.ts'
import { openAppEmbeds } from './embed/app-embeds.ts'
import { type EmbedPage, type PlatformPage, platformGlobals } from './embed/embed-page.ts'
import { openEmbedSwitches, type EmbedSwitches } from './embed/embed-switches.ts'
import { themeEditor } from './embed/theme-editor.ts'
import { priceFunctions } from './functions/price-functions.ts'
import { openLeaving, type Leaving } from './leaving.ts'
import { consentCookie, pageGlobals } from './page-globals.ts'
import { webPixels, webPixelTags } from './pixel/web-pixel.ts'
import type { ShopifyApp } from './shopify-app.ts'
import { storePages } from './store-pages.ts'
import type { WebOptions, WebState } from './web-state.ts'

/** What the platform does outside its admin API. */
export type ShopifyWeb = WebState & {
  scopes: AppScopes
  leaving: Leaving
  switches: EmbedSwitches
  deployed: Deployed
  /** What it puts into a page of the shop. */
  page: (page: EmbedPage) => PlatformPage
  /** What it puts into the page after the checkout. */
  completed: (order: Order) => string
}

export async function shopifyWeb(
  server: FastifyInstance,
  state: ShopState,
  face: ShopifyFace,
  {
    app,
    adminOrigin,
    isSecure,
    views,
    optionalScopes = ownAppConfig().optionalScopes,
    deployed = readDeployed(),
    log,
  }: {
    app: ShopifyApp
    adminOrigin: string
    isSecure: boolean
    views: PlatformViews
  } & Pick<WebOptions, 'optionalScopes' | 'deployed'> &
    Pick<Parameters<typeof priceFunctions>[0], 'log'>,
): Promise<ShopifyWeb> {
  const { db, clock, themes, pageApis } = state,
    web = state.web!,
    { installation, settings, metafields } = face
  const { deliveries, installs, link } = web
  link.isInstalled = installation.isInstalled
  face.deployed.functions = deployed.functions
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
  const switches = openEmbedSwitches(themes, app, () => deployed.theme)
  const embeds = openAppEmbeds({
    extension: () => deployed.theme,
    switches,
    fields: () => metafields.of(installationId),
    isInstalled: installation.isInstalled,
  })
  const pixel = {
    code: () => deployed.pixel,
    settings: () => installs.all('pixel')[0]?.settings ?? null,
    asksConsent: () => pageApis.current().privacy,
  }
  const pixelTags = webPixelTags(pixel)
  state.pricing.functions = priceFunctions({
    functions: () => deployed.functions,
    cartTransforms: () =>
      installs.all('transform').map(each => ({ ...each, id: gid('CartTransform', each.id) })),
    discounts: () => {
      const now = clock().toISOString()
      return installs
        .all('discount')
        .filter(({ startsAt, endsAt }) => startsAt <= now && (endsAt === null || now < endsAt))
        .map(each => ({ ...each, id: gid('DiscountAutomaticNode', each.id) }))
    },
    mayTransform: () => ['plus', 'development'].includes(settings.current().plan),
    shopId: gid('Shop', shopifyShop.id),
    fieldOf: (owner, namespace, key) =>
      metafields.find({ owner, namespace: fullNamespace(namespace), key }),
    log,
  })

  await server.register(storePages)
  await server.register(appsAdmin, { app, installation, leaving, web, views })
  await server.register(chargePages, { app, charges: web.charges, views })
  await server.register(themeEditor, {
    app,
    themes,
    extension: () => deployed.theme,
    switches,
    views,
  })
  await server.register(webPixels, pixel)
  await server.register(adminFrame, {
    app,
    adminOrigin,
    clock,
    views,
    isSecure,
    isInstalled: installation.isInstalled,
    scopes,
    extensions: () => embeds.states(themes.live.id),
  })
  return {
    ...web,
    scopes,
    leaving,
    switches,
    deployed,
    page: page => ({
      header: `${platformGlobals(page)}<script>(${pageGlobals})(${pixel.asksConsent()},"${consentCookie}")</script>`,
      ...embeds.draw(page),
    }),
    completed: order => pixelTags(order, clock()),
  }
}
