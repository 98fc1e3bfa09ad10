import { join } from 'node:path'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { LogController, type FastifyError, type FastifyInstance } from 'fastify'
import { HttpProblem } from '../domain/problem.ts'
import { timeoutOptions } from '../domain/server-timeouts.ts'
import { hour } from '../domain/time-units.ts'
import type { DemoShopOptions } from './options.ts'
import { adminApi, shopJson } from './admin/admin-api.ts'
import { admin } from './admin/admin.ts'
import { adminAuth } from './admin/admin-auth.ts'
import { openAppPictures, pictureFiles, picturesApi } from './apps/app-pictures.ts'
import { openAppScripts } from './apps/app-script.ts'
import { openAssignments } from './themes/assignments.ts'
import { bearerOf, type Bearer } from './apps/bearer.ts'
import { billingApi } from './billing/billing-api.ts'
import { billingPages } from './billing/billing-pages.ts'
import { openBilling } from './billing/billing.ts'
import { cartRoutes } from './orders/cart-routes.ts'
import { openCarts, priceCart, type PriceCart } from './orders/carts.ts'
import { openCatalogue } from './catalogue/changed.ts'
import { checkout } from './orders/checkout.ts'
import { openCurrencies } from './pages/currencies.ts'
import { openDatabase } from './database.ts'
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
import { orderRoom } from './orders/order-room.ts'
import { loadPlatformViews } from './admin/platform-views.ts'
import { openPriceRules, priceRulesApi } from './apps/price-rules.ts'
import { productsAdmin } from './catalogue/products-admin.ts'
import { productsApi } from './catalogue/products-api.ts'
import { redirectsApi } from './pages/redirects-api.ts'
import { openRedirects } from './pages/redirects.ts'
import { shopFiles } from './pages/shop-files.ts'
import { pageShower, showMissing } from './pages/show-page.ts'
import { storefrontPages } from './pages/storefront-pages.ts'
import { themeDrawing } from './themes/theme-drawing.ts'
import { themesAdmin } from './themes/themes-admin.ts'
import { themesApi } from './themes/themes-api.ts'
import { openThemes } from './themes/themes.ts'
import { startOutbox } from './apps/webhooks.ts'

export type DemoShop = {
  app: FastifyInstance
  /** Resolves when the app has accepted every webhook. */
  delivered: () => Promise<void>
  close: () => Promise<void>
}

/** How often to check whether a renewal is due. Milliseconds. */
const renewEvery = hour

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
  webhookWait,
  ordersAMinute = null,
  hasRoom,
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
  const orders = openOrders(db, outbox, clock)
  const carts = openCarts(db, clock)
  const scripts = openAppScripts(db)
  const pictures = openAppPictures(db)
  const drawing = themeDrawing()
  const themes = openThemes(db, outbox, clock, drawing)
  const catalogue = openCatalogue(db, outbox, origin, clock)
  const assignments = openAssignments(db, outbox, catalogue, themes, clock)
  const redirects = openRedirects(db, clock)
  const details = openDetails(db, outbox, clock, current => shopJson(origin, themes, current))
  const views = loadPlatformViews(details.current, adminPassword !== undefined)
  const isAdmin = bearerOf(appSecret)
  const priceRules = openPriceRules(db)
  const currencies = openCurrencies(db)
  const locale = localeOf(currencies)
  const price: PriceCart = cart => priceCart(cart, catalogue.findVariant, priceRules.priceOf)
  const installation = openInstallation(db, allOutbox, billing, scripts, priceRules, clock)
  const isSecure = origin.startsWith('https:')
  const show = pageShower({
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
  })

  const app = Fastify({
    ...(log && { loggerInstance: log }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    ...timeoutOptions,
    routerOptions: { maxParamLength: 200 },
  })
  await app.register(cookie)
  await app.register(formbody)
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] })

  app.addHook('onRequest', async ({ method, headers }) => {
    // Refuses a change that a page of another site requests in a shopper's name.
    if (
      method !== 'GET' &&
      method !== 'HEAD' &&
      headers.origin !== undefined &&
      hostOf(headers.origin) !== headers.host
    )
      throw new HttpProblem(403, 'This request came from another site, so nothing was changed.')
  })
  adminAuth(app, {
    origin,
    adminOrigin,
    appOrigin,
    password: adminPassword ?? null,
    isClosed: isAdminClosed,
    appSecret,
    clock,
    views,
  })
  // Runs before the page at that path, if there is one: a redirect that was set wins. Without
  // `no-store` browsers would keep a 301 for good.
  app.addHook('onRequest', async ({ method, url }, reply) => {
    const target = method === 'GET' || method === 'HEAD' ? redirects.targetOf(url) : null
    if (target !== null) return reply.header('cache-control', 'no-store').redirect(target, 301)
  })
  app.addHook('onSend', async (_, reply) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'strict-origin-when-cross-origin')
  })
  app.setNotFoundHandler((request, reply) =>
    request.method === 'GET'
      ? showMissing(show, request, reply)
      : reply.code(404).send({ message: 'There is nothing here.' }),
  )
  app.setErrorHandler<FastifyError | HttpProblem>((error, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const message =
      status >= 500 && !(error instanceof HttpProblem)
        ? 'Something went wrong on our side.'
        : error.message
    if (!request.headers.accept?.includes('text/html'))
      return reply.code(status).send({
        message,
        ...(error instanceof HttpProblem && error.fields.length > 0 && { fields: error.fields }),
      })
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .send(views.render('problem', { message }))
  })

  app.get('/platform.css', (_, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(views.css),
  )
  await app.register(storefrontPages, { show, catalogue, assignments, details })
  await app.register(shopFiles, { origin, themes, scripts, catalogue })
  await app.register(pictureFiles, { pictures })
  await app.register(cartRoutes, { carts, price, localeOf: locale, catalogue, show, isSecure })
  await app.register(localization, { currencies, isSecure })
  await app.register(checkout, {
    carts,
    orders,
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
  await app.register(themesAdmin, { themes, views })
  await app.register(productsAdmin, { catalogue, assignments, themes, views })
  await app.register(detailsAdmin, { details, views })
  const isApp: Bearer = request => isAdmin(request) && installation.isInstalled()
  await app.register(adminApi, {
    origin,
    themes,
    details,
    catalogue,
    scripts,
    orders,
    isAdmin: isApp,
  })
  await app.register(themesApi, { themes, assignments, isAdmin: isApp })
  await app.register(picturesApi, { origin, pictures, isAdmin: isApp })
  await app.register(productsApi, { catalogue, origin, isAdmin: isApp })
  await app.register(priceRulesApi, { priceRules, isAdmin: isApp })
  await app.register(redirectsApi, { redirects, isAdmin: isApp })
  await app.register(billingPages, { billing, installation, views })
  await app.register(billingApi, { adminOrigin, billing, installation, isApp: isAdmin })

  // Subscriptions continue while the shop is down: renewals that were due meanwhile are made now.
  const renew = async (): Promise<void> => {
    try {
      carts.clear()
      billing.settle()
      await orders.renew()
    } catch (error) {
      log?.error({ err: error }, 'carts not cleared, or renewals not made')
    }
  }
  let lastRenewal = renew()
  const renewing = setInterval(() => void (lastRenewal = renew()), renewEvery)
  renewing.unref()

  return {
    app,
    delivered: outbox.delivered,
    close: async () => {
      clearInterval(renewing)
      await app.close()
      await lastRenewal
      await drawing.close()
      await outbox.close()
      db.close()
    },
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
