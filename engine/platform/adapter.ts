import type { Capabilities } from '../../domain/platform/capabilities.ts'
import type { NativeExperiment } from '../../domain/tests/native-experiment.ts'
import type { ScriptState } from '../../domain/script/script-state.ts'
import type { ShopEvent } from '../../domain/platform/shop-event.ts'
import type { ShopConsent } from '../../domain/stores/shop-consent.ts'
import type { PixelSettings } from '../../domain/orders/pixel.ts'
import type { PageApis } from '../../domain/script/page-apis.ts'
import type { ScriptFinding } from '../../domain/staff/staff-health.ts'
import type { Market } from '../../domain/prices/price-test.ts'
import type { AssignedType } from '../../domain/themes/template.ts'
import type { PlatformAddresses, PlatformEntrance } from './addresses.ts'
import type { PlatformBilling, PlatformSubscription } from './billing.ts'
import type { PlatformPictures } from './pictures.ts'
import type { PlatformProducts } from './products.ts'
import type { PlatformRate } from './rate.ts'
import type { PublishedScript, ScriptPublication } from './script-publication.ts'
import type { PlatformThemes } from './themes.ts'
import type { PlatformGrants } from './tokens.ts'

/**
 * What the engine needs from the platform that hosts a shop. The adapter of each platform
 * implements it; nothing else in the engine may know which of them it talks
 * to. Every call throws VendorProblem: 504 when the shop does not answer in time, 502 when it
 * cannot be reached or answers nonsense; and HttpProblem 404 when the named thing does not exist.
 */
export type ShopRecord = {
  shop: string
  domain: string
  origin: string
  name: string
  /** `defaultCurrency` when the platform names none. */
  currency: string
  timeZone: string
  email: string
  themeId: string
  /** Whether the shop's prices include tax. */
  taxesIncluded: boolean
}
export const pageKinds = [
  'home',
  'collection',
  'product',
  'page',
  'blog',
  'article',
  'cart',
  'search',
] as const
export type ShopPage = { path: string; title: string; kind: (typeof pageKinds)[number] }
/** The merchant who installs the app. The onboarding form is filled in with this. */
export type MerchantRecord = {
  firstName: string
  lastName: string
  email: string
  phone: string | null
}
export type OrderLine = {
  productId: string
  variantId: string
  title: string
  quantity: number
  /** Minor units for the whole line: after discounts, before tax. */
  amount: number
  /** Tax that the line's price included, as the order's own tax lines say. Not in `amount`. */
  tax?: number
  /** Sold as a subscription. */
  isSubscription: boolean
  /**
   * Minor units for one piece, as the price rule or the catalogue says: before discounts and before
   * the reduction of a selling plan. Absent if the platform does not say it.
   */
  unitPrice?: number
  /**
   * The same price as the buyer saw it, in minor units of `market.currency`, with tax if prices
   * include it. Absent if the platform does not say it.
   */
  shownPrice?: number
}
export type PlatformOrder = {
  id: string
  /** What the merchant calls it: "#1042". */
  name: string
  /** ISO instant at which the shop took the order. */
  createdAt: string
  currency: string
  /** Minor units, shop money: after discounts, before tax and shipping. The sum of its lines. */
  subtotal: number
  /** All of it for an order that was cancelled: nobody pays for that. */
  refunded: number
  /**
   * Tax that the order's prices included, and the part of it that was refunded. Not in `subtotal`
   * and `refunded`. Absent when prices are without tax.
   */
  tax?: number
  refundedTax?: number
  /** The market that the buyer paid in. Absent if the platform does not say how it makes prices. */
  market?: Market & { currency: string }
  test: boolean
  /**
   * A renewal is made by the platform, without a visitor; a first subscription order by a shopper.
   */
  type: 'oneTime' | 'subscription' | 'renewal'
  /**
   * For a renewal: the id of the order that the subscription began with. Absent if the platform
   * does not say it.
   */
  firstOrderId?: string
  lines: OrderLine[]
  /** ISO instant of its last change. Absent if the platform does not say it. */
  updatedAt?: string
  /**
   * Whether it was made by "Buy it now" or express checkout. Absent if the platform does not say
   * it.
   */
  isExpress?: boolean
  /** Cart attributes as they came with the order: untrusted. */
  attributes: Record<string, string>
}
/** What the platform gets to run our checkout pixel: its source, and what it reads there. */
export type CheckoutPixel = { script: Buffer; settings: PixelSettings }
export type WebhookDelivery = {
  /** As the platform names it. Only to recognise a delivery that comes again. */
  topic: string
  shop: string
  deliveryId: string
  triggeredAt: string
}
/**
 * A page or file that we fetched from the shop: at most 2 MB, within 5 s, only from the shop's own
 * hosts. Redirects are not followed.
 */
export type FetchedPage = {
  status: number
  type: string
  text: string
  /** Where a redirect leads, as the shop wrote it. */
  location?: string
}
export type { AssignedType }

/**
 * What can be asked about one shop; the shop always comes first. Most of the engine gets only this,
 * and the calls go to the platform that hosts the shop (platforms.ts).
 */
export type Platform = PlatformThemes &
  PlatformPictures &
  PlatformProducts &
  PlatformAddresses &
  PlatformBilling & {
    shop: (shop: string) => Promise<ShopRecord>
    /**
     * What this store can do here, as the platform says now. The engine keeps an answer for some
     * seconds (store-capabilities.ts); `isFresh` asks the platform in any case.
     */
    capabilities: (shop: string, options?: { isFresh?: boolean }) => Promise<Capabilities>
    /** The experiments of its own that the platform runs in the shop now. */
    nativeExperiments: (shop: string) => Promise<NativeExperiment[]>
    merchant: (shop: string) => Promise<MerchantRecord>
    /** The shop's logo; null when it has none. */
    logo: (shop: string) => Promise<{ type: string; body: Buffer } | null>
    /**
     * The shop's settings of consent; null where the platform has none. Throws HttpProblem 422 when
     * we have no permission to read them.
     */
    consent: (shop: string) => Promise<ShopConsent | null>
    /** Pages of the live shop whose path or title holds the text. */
    searchPages: (shop: string, text: string) => Promise<ShopPage[]>
    /**
     * Whether the shop answers 200 at this URL (already known to be on its own hosts). This and
     * `fetchPage` throw `Throttled` when the shop lets a program read no more pages for a while.
     */
    pageExists: (shop: string, url: string) => Promise<boolean>
    /** A page or other text of the live shop (URL already known to be on its own hosts). */
    fetchPage: (shop: string, url: string) => Promise<FetchedPage>
    /**
     * Puts the shop's script on the shop's own asset host and returns its URL. `isInline`: also
     * puts it into the head of every page, in place of a link to it. `part`: the file that shops
     * with `pageApis` load after paint, which the platform puts at the address that it named there.
     * A platform that delivers files of ours by itself takes only the `config`; the URL is then
     * that of the pages into which it draws them. Throws HttpProblem 422 when the shop cannot take
     * it.
     */
    publishScript: (
      shop: string,
      script: Buffer,
      publication: ScriptPublication,
    ) => Promise<{ url: string }>
    /** Whether the shop has the script that was published last. Never throws. */
    scriptFinding: (shop: string, published: PublishedScript) => Promise<ScriptFinding>
    /**
     * Whether the pages of a theme, by default the live one, load the script that we have
     * published.
     */
    scriptState: (shop: string, themeId?: string) => Promise<ScriptState>
    /** What the shop's pages offer to our script; null where they offer nothing. */
    pageApis: (shop: string) => Promise<PageApis | null>
    /**
     * Makes the shop's checkout run our pixel when an order is complete, in the platform's sandbox
     * and only with the buyer's consent; null ends that. A platform that hosts the pixel itself
     * uses the settings alone. Throws HttpProblem 404 or 422 where a shop cannot have one.
     */
    publishPixel: (shop: string, pixel: CheckoutPixel | null) => Promise<void>
    /** Removes the script and the pixel from the shop. Does nothing when there is none. */
    removeScript: (shop: string) => Promise<void>
    /**
     * Redirects visitors of `path` to `target` permanently, which applies the winner of a URL test.
     * Returns the redirect's id; the same redirect again returns the same id.
     */
    createUrlRedirect: (
      shop: string,
      redirect: { path: string; target: string },
    ) => Promise<{ id: string }>
    deleteUrlRedirect: (shop: string, id: string) => Promise<void>
    urlRedirects: (shop: string) => Promise<{ id: string; path: string; target: string }[]>
    /**
     * A page of the orders that changed, or were made, from `from` up to, but not including, `to`:
     * at most some hundred. `cursor`: the `next` of the page before. `unreadable`: what is wrong
     * with orders of the page that cannot be read; they are left out. For reconciliation.
     */
    changedOrders: (
      shop: string,
      span: { from: string; to: string; cursor?: string },
    ) => Promise<{ orders: PlatformOrder[]; unreadable?: string[]; next: string | null }>
    /**
     * Ids of a customer's orders. `customer` is the platform's name for the customer. Empty when
     * the platform does not know that name.
     */
    ordersOf: (shop: string, customer: string) => Promise<string[]>
    /**
     * Ends our installation at the platform: its tokens and webhooks stop working. This is the last
     * call of an uninstall. Calling it again is no error.
     */
    uninstall: (shop: string) => Promise<void>
  }

/**
 * What a sign-in token says. `user`: the platform's id of the person. `jti`: names this one token,
 * which may be used once.
 */
export type VerifiedIdToken = { shop: string; user: string; jti: string; expiresAt: Date }

type CallsAndGrants = Platform & PlatformGrants

/** One platform: the calls about its shops, and what is known of it before a shop is known. */
export type PlatformAdapter = CallsAndGrants & {
  /** Lower-case name, the {platform} of paths (requirements 21.1) and of the stores' rows. */
  name: string
  /**
   * Whether a shop of this name can only be on this platform. A shop is named by its domain on its
   * platform, so no name belongs to two platforms (decision 067).
   */
  hosts: (shop: string) => boolean
  /** For a merchant whose shop we do not know. */
  entrance: PlatformEntrance
  /**
   * How fast we may ask about a shop; null means that there is no limit. The calls below wait for
   * it by themselves (rates.ts). A call that the platform refuses for its rate throws `Throttled`.
   */
  rate: (shop: string) => PlatformRate | null
  /**
   * Checks a merchant's one-minute sign-in token, which must say when it ends. Throws HttpProblem
   * 401.
   */
  verifyIdToken: (idToken: string) => Promise<VerifiedIdToken>
  /**
   * Checks a delivery's signature over the raw body, and compares the headers with the signed
   * values: topic, shop, id and time are returned only as the platform has signed them. Null when
   * the delivery is not from the platform.
   */
  verifyWebhook: (
    headers: Record<string, string | string[] | undefined>,
    rawBody: Buffer,
  ) => WebhookDelivery | null
  /**
   * The platform's topics, and what each tells. A topic's deliveries arrive at
   * /webhooks/<name>/<topic>, with "-" for its first "/".
   */
  topics: Readonly<Record<string, ShopEvent>>
  /**
   * Reads the order of a delivery about orders; asks the shop for it when the body only names it.
   * Throws HttpProblem 400 that names the first field that is wrong.
   */
  parseOrder: (body: unknown, delivery: WebhookDelivery) => PlatformOrder | Promise<PlatformOrder>
  /** The product that a delivery about products names. Throws HttpProblem 400. */
  parseProduct: (body: unknown) => { productId: string }
  /**
   * Orders that a customer's request is about (customerDataRequest, customerRedact). Throws
   * HttpProblem 400.
   */
  parseShopper: (body: unknown) => { orderIds: string[] }
  /** Reads the body of a subscriptionChanged delivery. Throws HttpProblem 400. */
  parseSubscription: (body: unknown) => Pick<PlatformSubscription, 'id'>
  /**
   * The key with which simulated shoppers of this platform sign beacons from the past.
   * Absent where all shoppers are real.
   */
  replayKey?: string
  close: () => Promise<void>
}
