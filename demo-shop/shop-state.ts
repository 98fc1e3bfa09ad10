import { join } from 'node:path'
import { shopJson } from './admin/admin-api.ts'
import { openCapabilities } from './admin/capabilities.ts'
import { openDetails } from './admin/details.ts'
import { openScriptSwitches } from './admin/script-switches.ts'
import { openWriteFaults } from './admin/write-faults.ts'
import { openAppPictures } from './apps/app-pictures.ts'
import { openAppPixels } from './apps/app-pixel.ts'
import { openAppScripts } from './apps/app-script.ts'
import { openAppTokens } from './apps/app-tokens.ts'
import {
  isInstalled,
  openInstallation,
  prepareInstallation,
  whileInstalled,
} from './apps/installation.ts'
import { chargedPriceOf, openPriceRules } from './apps/price-rules.ts'
import { startOutbox } from './apps/webhooks.ts'
import { writeParts } from './apps/write-parts.ts'
import { openBilling } from './billing/billing.ts'
import { openCatalogue } from './catalogue/changed.ts'
import { largestProduct, manyProducts } from './catalogue/many-products.ts'
import { openDatabase } from './database.ts'
import type { DemoShopOptions } from './options.ts'
import { openCarts, priceCart, type PriceCart } from './orders/carts.ts'
import { openOrders } from './orders/orders.ts'
import { hasPriceList, openCurrencies } from './pages/currencies.ts'
import { localeOf } from './pages/localization.ts'
import { openPageApis } from './pages/page-apis.ts'
import { openRedirects } from './pages/redirects.ts'
import { openReaderKey } from './pages/unsigned-reads.ts'
import type { PriceFunctions } from './shopify-web/functions/price-functions.ts'
import { shopifyCapabilities } from './shopify-web/capabilities.ts'
import { noOutbox, openWebState, toldToBoth } from './shopify-web/web-state.ts'
import { openAssignments } from './themes/assignments.ts'
import { openExperiments } from './themes/experiments.ts'
import { themeDrawing } from './themes/theme-drawing.ts'
import { openThemes } from './themes/themes.ts'

/** Everything that the shop keeps, behind its pages, its back office and its APIs for apps. */
export type ShopState = ReturnType<typeof openShopState>

/**
 * Opens the shop's database and all that is in it. `close` ends deliveries and closes the database.
 */
export function openShopState({
  origin,
  dataDir,
  engineOrigin,
  appSecret,
  clock = () => new Date(),
  startsSubscribed = true,
  capabilities: given,
  webhookWait,
  moreProducts = 0,
  hasLargestProduct = false,
  tokenLife,
  knownToken,
  shopify,
  hasDemoApp = true,
  log,
}: DemoShopOptions) {
  const db = openDatabase(join(dataDir, 'demo-shop'))
  prepareInstallation(db)
  const web = shopify ? openWebState(db, shopify, { target: engineOrigin, clock, log }) : null
  const ownOutbox =
    hasDemoApp || !web
      ? startOutbox({ db, target: engineOrigin, secret: appSecret, log, firstWait: webhookWait })
      : noOutbox
  const whileOwn = whileInstalled(ownOutbox, isInstalled(db))
  const outbox = web ? toldToBoth(db, whileOwn, web) : whileOwn
  const billing = openBilling({ db, outbox, clock, startsSubscribed })
  const orders = openOrders(db, outbox, clock, () => details.current().taxRate)
  const carts = openCarts(db, clock)
  const scripts = openAppScripts(db)
  const pixels = openAppPixels(db)
  const pictures = openAppPictures(db)
  const drawing = themeDrawing()
  const themes = openThemes(db, outbox, clock, drawing)
  const catalogue = openCatalogue(db, outbox, origin, clock, [
    ...manyProducts(moreProducts),
    ...(hasLargestProduct ? [largestProduct()] : []),
  ])
  const assignments = openAssignments(db, outbox, catalogue, themes, clock)
  const capabilities = openCapabilities(db, outbox, clock, {
    onSwitch: () => scriptSwitches.reset(),
    first: given ?? (shopify && !hasDemoApp ? shopifyCapabilities : undefined),
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
  const tokens = openAppTokens(db, clock, tokenLife, knownToken)
  const priceRules = openPriceRules(db)
  const currencies = openCurrencies(db)
  const locale = localeOf(currencies)
  const chargedPrice = chargedPriceOf(capabilities, priceRules, catalogue.findVariant)
  // The second platform runs functions of the app. It installs them here when it has opened.
  const pricing: { functions: PriceFunctions | null } = { functions: null }
  const price: PriceCart = (cart, market) => {
    const tested = hasPriceList(market) ? () => null : chargedPrice
    const own = priceCart(cart, catalogue.findVariant, tested)
    return pricing.functions?.(own, market) ?? own
  }
  const installation = openInstallation(
    db,
    ownOutbox,
    billing,
    { scripts, pixels },
    priceRules,
    tokens,
    clock,
  )

  return {
    db,
    clock,
    outbox,
    billing,
    orders,
    carts,
    scripts,
    pixels,
    pictures,
    themes,
    catalogue,
    assignments,
    capabilities,
    scriptSwitches,
    experiments,
    faults,
    parts,
    readerKey,
    redirects,
    details,
    pageApis,
    tokens,
    priceRules,
    currencies,
    localeOf: locale,
    pricing,
    price,
    installation,
    web,
    close: async () => {
      await drawing.close()
      await outbox.close()
      db.close()
    },
  }
}
