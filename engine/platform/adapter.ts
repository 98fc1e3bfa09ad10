import type { AssignedType } from '../../domain/themes/template.ts'
import type { PlatformBilling } from './billing.ts'
import type { PlatformPictures } from './pictures.ts'
import type { PlatformProducts } from './products.ts'
import type { PlatformThemes } from './themes.ts'

/**
 * What the engine needs from the platform that hosts a shop. The demo shop's adapter and the hosted
 * platform's adapter both implement it; nothing else in the engine may know which of them it talks
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
  /** Minor units for the whole line, after discounts. */
  amount: number
  /** Sold as a subscription. */
  isSubscription: boolean
  /**
   * Minor units for one piece, as the price rule or the catalogue says: before discounts and before
   * the reduction of a selling plan. Absent if the platform does not say it.
   */
  unitPrice?: number
}
export type PlatformOrder = {
  id: string
  /** What the merchant calls it: "#1042". */
  name: string
  /** ISO instant at which the shop took the order. */
  createdAt: string
  currency: string
  /** Minor units, shop money: after discounts, before tax and shipping. */
  subtotal: number
  refunded: number
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
  /** Cart attributes as they came with the order: untrusted. */
  attributes: Record<string, string>
}
export type WebhookDelivery = {
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

export type Platform = PlatformThemes &
  PlatformPictures &
  PlatformProducts &
  PlatformBilling & {
    /** The address of an order in the shop's own admin; null when we do not know it. */
    orderAddress: (shop: string, order: { id: string; name: string }) => string | null
    /** Lower-case name, the {platform} of paths (requirements 21.1). */
    name: string
    /**
     * Checks a merchant's one-minute sign-in token and returns the shop it was made for. Throws
     * HttpProblem 401.
     */
    verifyIdToken: (idToken: string) => Promise<{ shop: string; user: string }>
    /**
     * Checks a delivery's signature over the raw body, and compares the headers with the signed
     * values: topic, shop, id and time are returned only as the platform has signed them. Null when
     * the delivery is not from the platform.
     */
    verifyWebhook: (
      headers: Record<string, string | string[] | undefined>,
      rawBody: Buffer,
    ) => WebhookDelivery | null
    /** Throws HttpProblem 400 that names the first field that is wrong. */
    parseOrder: (body: unknown) => PlatformOrder
    shop: (shop: string) => Promise<ShopRecord>
    merchant: (shop: string) => Promise<MerchantRecord>
    /** The shop's logo; null when it has none. */
    logo: (shop: string) => Promise<{ type: string; body: Buffer } | null>
    /** Pages of the live shop whose path or title holds the text. */
    searchPages: (shop: string, text: string) => Promise<ShopPage[]>
    /** Whether the shop answers 200 at this URL (already known to be on its own hosts). */
    pageExists: (shop: string, url: string) => Promise<boolean>
    /**
     * A page, stylesheet or other text of the live shop (URL already known to be on its own hosts).
     */
    fetchPage: (shop: string, url: string) => Promise<FetchedPage>
    /**
     * Puts the shop's script on the shop's own asset host and returns its URL. `isInline`: also
     * puts it into the head of every page, in place of a link to it.
     */
    publishScript: (
      shop: string,
      script: Buffer,
      options?: { isInline?: boolean },
    ) => Promise<{ url: string }>
    /** Removes the script from the shop. Does nothing when there is none. */
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
     * Every order that the shop took from `from` up to, but not including, `to`. For
     * reconciliation.
     */
    orders: (shop: string, from: string, to: string) => Promise<PlatformOrder[]>
    /**
     * Ids of a customer's orders. `customer` is the platform's name for the customer. Empty when
     * the platform does not know that name.
     */
    ordersOf: (shop: string, customer: string) => Promise<string[]>
    /**
     * Orders that a compliance webhook (customers/data_request, customers/redact) is about. Throws
     * HttpProblem 400.
     */
    parseShopper: (body: unknown) => { orderIds: string[] }
    /**
     * Ends our installation at the platform: its tokens and webhooks stop working. This is the last
     * call of an uninstall. Calling it again is no error.
     */
    uninstall: (shop: string) => Promise<void>
    close: () => Promise<void>
  }
