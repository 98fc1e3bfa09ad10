/**
 * What the engine asks of the platform a shop is hosted on. The demo shop's adapter and the hosted platform's
 * implement it alike; nothing else in the engine may know which of them it talks to.
 */
export type ShopRecord = { shop: string; domain: string; origin: string; name: string; currency: string; timeZone: string; email: string; themeId: string }
export type ShopPage = { path: string; title: string; kind: 'home' | 'collection' | 'product' | 'page' | 'cart' | 'search' }
export type PlatformOrder = {
  id: string
  /** ISO instant at which the shop took the order. */
  createdAt: string
  currency: string
  /** Minor units, shop money: after discounts, before tax and shipping. */
  subtotal: number
  refunded: number
  test: boolean
  /** Cart attributes as they came with the order: untrusted. */
  attributes: Record<string, string>
}
export type WebhookDelivery = { topic: string; shop: string; deliveryId: string; triggeredAt: string }

export type Platform = {
  /** Lower-case name, the {platform} of spec §7. */
  name: string
  /** Checks a merchant's one-minute sign-in token and names the shop it was made for; throws HttpProblem 401. */
  verifyIdToken: (idToken: string) => Promise<{ shop: string; user: string }>
  /** Checks a delivery's signature over the raw body; null when it is not the platform's. */
  verifyWebhook: (headers: Record<string, string | string[] | undefined>, rawBody: Buffer) => WebhookDelivery | null
  parseOrder: (body: unknown) => PlatformOrder
  shop: (shop: string) => Promise<ShopRecord>
  /** Pages of the live shop whose path or title holds the text. */
  searchPages: (shop: string, text: string) => Promise<ShopPage[]>
  /** Whether the shop answers 200 at this URL (already known to be on its own hosts). */
  pageExists: (shop: string, url: string) => Promise<boolean>
  /** Puts the shop's script on the shop's own asset host and names its URL. */
  publishScript: (shop: string, script: Buffer) => Promise<{ url: string }>
  /** Every order the shop took in the half-open span, for reconciliation. */
  orders: (shop: string, from: string, to: string) => Promise<PlatformOrder[]>
}
