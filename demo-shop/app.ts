import type { FastifyInstance } from 'fastify'
import { day } from '../domain/time-units.ts'
import type { DemoShopOptions } from './options.ts'
import { abilitiesAdmin } from './admin/abilities-admin.ts'
import { appApis } from './apps/app-apis.ts'
import { admin } from './admin/admin.ts'
import { pictureFiles } from './apps/app-pictures.ts'
import { tokenEndpoint } from './apps/token-endpoint.ts'
import { bearerOf, type Bearer, tokenBearer } from './apps/bearer.ts'
import { billingApi } from './billing/billing-api.ts'
import { billingPages } from './billing/billing-pages.ts'
import { cartRoutes } from './orders/cart-routes.ts'
import { checkout } from './orders/checkout.ts'
import { pixelFrames } from './orders/completed.ts'
import { express } from './orders/express.ts'
import type { ShopCapabilities } from './admin/capabilities.ts'
import { capabilityRules } from './admin/capability-rules.ts'
import type { ScriptSwitches } from './admin/script-switches.ts'
import type { WriteFaults } from './admin/write-faults.ts'
import { detailsAdmin } from './admin/details-admin.ts'
import { localization } from './pages/localization.ts'
import { ordersAdmin } from './orders/orders-admin.ts'
import { keepRenewing } from './orders/renewing.ts'
import { orderRoom } from './orders/order-room.ts'
import { loadPlatformViews } from './admin/platform-views.ts'
import { productsAdmin } from './catalogue/products-admin.ts'
import { limitRate, type RateSetting } from './apps/rate.ts'
import { redirectMissing } from './pages/redirects.ts'
import { openShopState } from './shop-state.ts'
import { shopServer } from './shop-server.ts'
import { shopFiles } from './pages/shop-files.ts'
import { pageApiFiles, type PageApis } from './pages/page-apis.ts'
import { pageShower } from './pages/show-page.ts'
import { limitReads } from './pages/unsigned-reads.ts'
import { shopifyFace, type ShopifyFace } from './shopify/face.ts'
import { storefrontPages } from './pages/storefront-pages.ts'
import { storePath } from './shopify-web/launch.ts'
import type { ShopifyApp } from './shopify-web/shopify-app.ts'
import { shopifyWeb, type ShopifyWeb } from './shopify-web/web.ts'
import { themesAdmin } from './themes/themes-admin.ts'
import type { Experiments } from './themes/experiments.ts'
import type { WriteParts } from './apps/write-parts.ts'

/** So long Shopify keeps a theme that a link has asked for. */
const yearSeconds = (365 * day) / 1_000

export type DemoShop = {
  app: FastifyInstance
  /** What the shop can do. Its back office and tests change it. */
  capabilities: ShopCapabilities
  /** The switch of the app's script in each theme. */
  scriptSwitches: ScriptSwitches
  /** Experiments of the shop's own. */
  experiments: Experiments
  /** Makes writes of apps fail in the middle. */
  faults: WriteFaults
  /** How fast the app may call. Tests change it. */
  rate: RateSetting
  /** How writes of the app are done. Tests have them refused. */
  parts: WriteParts
  /** What its pages offer to scripts. Its back office and tests change it. */
  pageApis: PageApis
  /** What Shopify does outside its API; null when the shop has no such face. */
  web: ShopifyWeb | null
  /** What an app of Shopify sees of the shop; null when the shop has no such face. */
  shopify: ShopifyFace | null
  /** Resolves when the app has accepted every webhook. */
  delivered: () => Promise<void>
  /** Ends all tokens of the app, as a platform may at any time. For tests. */
  endTokens: () => void
  close: () => Promise<void>
}

/**
 * A small hosted shop: themes, cart, checkout, admin, webhooks. The caller listens on `app`;
 * `close` also ends deliveries and the database.
 */
export async function buildDemoShop(options: DemoShopOptions): Promise<DemoShop> {
  const { origin, adminOrigin = origin, adminPassword, isAdminClosed = false, appOrigin } = options
  const { dataDir, appKey, appSecret, ordersAMinute = null, hasRoom, log } = options
  const state = openShopState(options)
  const { billing, orders, carts, scripts, pixels, pictures, themes, catalogue, clock } = state
  const { assignments, capabilities, scriptSwitches, experiments, faults, parts, redirects } = state
  const { outbox, readerKey, details, pageApis, tokens, priceRules, currencies, price } = state
  const { localeOf, installation } = state
  const shopifyApp: ShopifyApp | null = options.shopify
    ? {
        ...options.shopify.keys,
        handle: options.shopify.appHandle,
        title: 'Twinshelf',
        origin: appOrigin,
      }
    : null
  const shopifyFrame = shopifyApp && `${storePath}/apps/${shopifyApp.handle}`
  const hasDemoApp = !shopifyApp || (options.hasDemoApp ?? true)
  const views = loadPlatformViews(
    () => ({ ...details.current(), shopifyFrame, hasDemoApp }),
    adminPassword !== undefined,
  )
  const isAdmin = bearerOf(appSecret)
  const isSecure = origin.startsWith('https:')
  // Shopify's part opens last, because it is about all the rest.
  const platform: { web: ShopifyWeb | null } = { web: null }
  const shown = pageShower({
    origin,
    adminOrigin,
    appOrigin,
    isSecure,
    themes,
    carts,
    price,
    catalogue,
    currencies,
    localeOf,
    details,
    scripts,
    pageApis,
    ...(shopifyApp && { previewAge: yearSeconds }),
    platformPage: page => platform.web?.page(page),
    hasScript: themeId => scriptSwitches.stateOf(themeId) !== 'off',
  })
  const show = limitReads(redirectMissing(shown, redirects), {
    capabilities,
    key: readerKey,
    clock,
  })

  const app = await shopServer({
    log,
    redirects,
    show,
    views,
    auth: {
      origin,
      adminOrigin,
      appOrigin,
      password: adminPassword ?? null,
      isClosed: isAdminClosed,
      appSecret,
      clock,
      views,
    },
  })
  capabilityRules(app, capabilities, themes)
  const rate: RateSetting = { current: null, refused: 0 }
  limitRate(app, rate)
  await app.register(storefrontPages, { show, catalogue, assignments, details })
  await app.register(shopFiles, { origin, themes, scripts, catalogue })
  await app.register(pictureFiles, { pictures })
  await app.register(cartRoutes, { carts, price, localeOf, catalogue, show, isSecure })
  await app.register(express, { carts, catalogue, capabilities, isSecure })
  await app.register(pixelFrames, { pixels })
  await app.register(pageApiFiles)
  await app.register(localization, { currencies, isSecure })
  await app.register(checkout, {
    carts,
    orders,
    pixels,
    views,
    isAdmin,
    clock,
    price,
    localeOf,
    requireRoom: orderRoom(dataDir, ordersAMinute, hasRoom),
    platformTags: order => platform.web?.completed(order) ?? '',
  })
  await app.register(admin, {
    appOrigin,
    appKey,
    appSecret,
    clock,
    orders,
    views,
    isSecure,
    waiting: outbox.waiting,
    isInstalled: installation.isInstalled,
    otherFrame: hasDemoApp ? null : shopifyFrame,
  })
  await app.register(ordersAdmin, { orders, views, isAdmin })
  await app.register(themesAdmin, { themes, scriptSwitches, experiments, views })
  await app.register(productsAdmin, { catalogue, assignments, themes, views })
  await app.register(detailsAdmin, { details, pageApis, currencies, views })
  await app.register(abilitiesAdmin, { capabilities, faults, readerKey, views })
  const hasToken = tokenBearer(tokens.accept)
  const isApp: Bearer = request => hasToken(request) && installation.isInstalled()
  await app.register(tokenEndpoint, {
    appKey,
    appSecret,
    tokens,
    isInstalled: installation.isInstalled,
  })
  await appApis(app, {
    origin,
    adminOrigin,
    clock,
    themes,
    details,
    capabilities,
    catalogue,
    currencies,
    scripts,
    pageApis,
    orders,
    experiments,
    assignments,
    scriptSwitches,
    parts,
    pictures,
    pixels,
    priceRules,
    redirects,
    isAdmin: isApp,
  })
  await app.register(billingPages, { billing, installation, views })
  await app.register(billingApi, { adminOrigin, billing, installation, isApp: hasToken })
  const shopify = options.shopify
    ? await shopifyFace(app, state, { ...options.shopify, origin, adminOrigin })
    : null
  const web =
    shopify &&
    (await shopifyWeb(app, state, shopify, {
      app: shopifyApp!,
      adminOrigin,
      isSecure,
      views,
      optionalScopes: options.shopify!.optionalScopes,
      deployed: options.shopify!.deployed,
      log,
    }))
  platform.web = web

  const stopRenewing = keepRenewing(async () => {
    carts.clear()
    billing.settle()
    installation.settle()
    web?.leaving.settle()
    web?.charges.settle()
    await orders.renew()
  }, log)

  return {
    app,
    capabilities,
    scriptSwitches,
    experiments,
    faults,
    parts,
    rate,
    pageApis,
    web,
    shopify,
    delivered: outbox.delivered,
    endTokens: tokens.end,
    close: async () => {
      const isRenewed = stopRenewing()
      await app.close()
      await isRenewed
      await state.close()
    },
  }
}
