import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { DemoShopOptions } from './options.ts'
import { abilitiesAdmin } from './admin/abilities-admin.ts'
import { shopJson } from './admin/admin-api.ts'
import { appApis } from './apps/app-apis.ts'
import { admin } from './admin/admin.ts'
import { openAppPictures, pictureFiles } from './apps/app-pictures.ts'
import { openAppPixels } from './apps/app-pixel.ts'
import { openAppScripts } from './apps/app-script.ts'
import { openAssignments } from './themes/assignments.ts'
import { openAppTokens } from './apps/app-tokens.ts'
import { tokenEndpoint } from './apps/token-endpoint.ts'
import { bearerOf, type Bearer, tokenBearer } from './apps/bearer.ts'
import { billingApi } from './billing/billing-api.ts'
import { billingPages } from './billing/billing-pages.ts'
import { openBilling } from './billing/billing.ts'
import { cartRoutes } from './orders/cart-routes.ts'
import { openCarts, priceCart, type PriceCart } from './orders/carts.ts'
import { openCatalogue } from './catalogue/changed.ts'
import { checkout } from './orders/checkout.ts'
import { pixelFrames } from './orders/completed.ts'
import { express } from './orders/express.ts'
import { hasPriceList, openCurrencies } from './pages/currencies.ts'
import { openDatabase } from './database.ts'
import { openCapabilities, type ShopCapabilities } from './admin/capabilities.ts'
import { capabilityRules } from './admin/capability-rules.ts'
import { openScriptSwitches, type ScriptSwitches } from './admin/script-switches.ts'
import { openWriteFaults, type WriteFaults } from './admin/write-faults.ts'
import { detailsAdmin } from './admin/details-admin.ts'
import { openDetails } from './admin/details.ts'
import {
  isInstalled,
  openInstallation,
  prepareInstallation,
  whileInstalled,
} from './apps/installation.ts'
import { localeOf, localization } from './pages/localization.ts'
import { ordersAdmin } from './orders/orders-admin.ts'
import { openOrders } from './orders/orders.ts'
import { keepRenewing } from './orders/renewing.ts'
import { orderRoom } from './orders/order-room.ts'
import { loadPlatformViews } from './admin/platform-views.ts'
import { chargedPriceOf, openPriceRules } from './apps/price-rules.ts'
import { productsAdmin } from './catalogue/products-admin.ts'
import { limitRate, type RateSetting } from './apps/rate.ts'
import { openRedirects, redirectMissing } from './pages/redirects.ts'
import { shopServer } from './shop-server.ts'
import { shopFiles } from './pages/shop-files.ts'
import { openPageApis, pageApiFiles, type PageApis } from './pages/page-apis.ts'
import { pageShower } from './pages/show-page.ts'
import { limitReads, openReaderKey } from './pages/unsigned-reads.ts'
import { storefrontPages } from './pages/storefront-pages.ts'
import { themeDrawing } from './themes/theme-drawing.ts'
import { themesAdmin } from './themes/themes-admin.ts'
import { type Experiments, openExperiments } from './themes/experiments.ts'
import { openThemes } from './themes/themes.ts'
import { startOutbox } from './apps/webhooks.ts'
import { writeParts, type WriteParts } from './apps/write-parts.ts'

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
export async function buildDemoShop({
  origin,
  adminOrigin = origin,
  adminPassword,
  isAdminClosed = false,
  appOrigin,
  engineOrigin,
  dataDir,
  appKey,
  appSecret,
  clock = () => new Date(),
  startsSubscribed = true,
  capabilities: given,
  webhookWait,
  ordersAMinute = null,
  moreProducts = 0,
  hasRoom,
  tokenLife,
  knownToken,
  log,
}: DemoShopOptions): Promise<DemoShop> {
  const db = openDatabase(join(dataDir, 'demo-shop'))
  const allOutbox = startOutbox({
    db,
    target: engineOrigin,
    secret: appSecret,
    log,
    firstWait: webhookWait,
  })
  prepareInstallation(db)
  const outbox = whileInstalled(allOutbox, isInstalled(db))
  const billing = openBilling({ db, outbox, clock, startsSubscribed })
  const orders = openOrders(db, outbox, clock, () => details.current().taxRate)
  const carts = openCarts(db, clock)
  const scripts = openAppScripts(db)
  const pixels = openAppPixels(db)
  const pictures = openAppPictures(db)
  const drawing = themeDrawing()
  const themes = openThemes(db, outbox, clock, drawing)
  const catalogue = openCatalogue(db, outbox, origin, clock, moreProducts)
  const assignments = openAssignments(db, outbox, catalogue, themes, clock)
  const capabilities = openCapabilities(db, outbox, clock, {
    onSwitch: () => scriptSwitches.reset(),
    first: given,
  })
  const scriptSwitches = openScriptSwitches(db, { capabilities, themes, clock })
  const experiments = openExperiments(db, outbox, clock, { capabilities, themes })
  const faults = openWriteFaults(db, capabilities)
  const parts = writeParts(capabilities, faults)
  const readerKey = openReaderKey(db)
  const redirects = openRedirects(db, clock, capabilities)
  const details = openDetails(db, outbox, clock, current => shopJson(origin, themes, current))
  const pageApis = openPageApis(db, outbox, clock, () =>
    shopJson(origin, themes, details.current()),
  )
  const views = loadPlatformViews(details.current, adminPassword !== undefined)
  const isAdmin = bearerOf(appSecret)
  const tokens = openAppTokens(db, clock, tokenLife, knownToken)
  const priceRules = openPriceRules(db)
  const currencies = openCurrencies(db)
  const locale = localeOf(currencies)
  const chargedPrice = chargedPriceOf(capabilities, priceRules, catalogue.findVariant)
  const price: PriceCart = (cart, market) =>
    priceCart(cart, catalogue.findVariant, hasPriceList(market) ? () => null : chargedPrice)
  const installation = openInstallation(
    db,
    allOutbox,
    billing,
    { scripts, pixels },
    priceRules,
    tokens,
    clock,
  )
  const isSecure = origin.startsWith('https:')
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
    localeOf: locale,
    details,
    scripts,
    pageApis,
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
  await app.register(cartRoutes, { carts, price, localeOf: locale, catalogue, show, isSecure })
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
    localeOf: locale,
    requireRoom: orderRoom(dataDir, ordersAMinute, hasRoom),
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

  const stopRenewing = keepRenewing(async () => {
    carts.clear()
    billing.settle()
    installation.settle()
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
    delivered: outbox.delivered,
    endTokens: tokens.end,
    close: async () => {
      const isRenewed = stopRenewing()
      await app.close()
      await isRenewed
      await drawing.close()
      await outbox.close()
      db.close()
    },
  }
}
