import type { AdminScript, PlatformEntrance } from '../../domain/platform/shop-addresses.ts'

/** Pages of a shop's admin that the app links to. */
export type AdminPage = 'home' | 'settings' | 'themes'

/**
 * Where a platform has its pages. An address follows from the shop's name alone, so nobody is asked
 * and every call answers at once. Origins must not contain wildcards.
 */
export type PlatformAddresses = {
  adminUrl: (shop: string, page: AdminPage) => string
  /** Where the admin shows the app: this address plus the path of a page of the app. */
  appUrl: (shop: string) => string
  /**
   * Where a merchant signs in again, with the app's page as `return_to`. Null when opening the app
   * in the admin is the only way.
   */
  signInUrl: (shop: string) => string | null
  /** Type of the message in which a page tells the admin its path; null when it need not. */
  addressMessage: (shop: string) => string | null
  /** Type of the message in which a page asks the admin for a token; null when it answers none. */
  tokenMessage: (shop: string) => string | null
  /** The admin's own script, through which a page then does both; null when it has none. */
  adminScript: (shop: string) => AdminScript | null
  /** A theme in the shop's theme editor. */
  themeUrl: (shop: string, themeId: string) => string
  /**
   * The shop's code editor for a theme. Append the percent-encoded name of a file to open it.
   */
  themeFileUrl: (shop: string, themeId: string) => string
  /** Path and query at which the shop shows a theme that is not live. */
  themePreviewPath: (shop: string, themeId: string) => string
  /** The address of an order in the shop's own admin; null when we do not know it. */
  orderAddress: (shop: string, order: { id: string; name: string }) => string | null
  /** Origins that may frame the app for this shop. */
  frameAncestors: (shop: string) => string[]
  /** Origins of the admin's own pages: sign-in, approval of a plan. */
  adminOrigins: (shop: string) => string[]
  /**
   * Origins from which the app's pages for this shop load things, besides the shop's own: the
   * engine adds that from the shop's record.
   */
  sources: (shop: string) => { scripts: string[]; images: string[]; frames: string[] }
}

/** How a merchant whose shop we do not know comes to the app. */
export type { PlatformEntrance }
