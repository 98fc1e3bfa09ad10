import type { AppConfig } from './config.ts'

/**
 * All that the app knows about the platform's admin, which frames it. Another platform needs other
 * values here. A platform whose own script follows the app's address, as the hosted platform's
 * does, has no `addressMessage`.
 */
export type PlatformHost = {
  origin: string
  /** Address of the admin. */
  home: string
  /** Where the admin shows the app: this address plus the path of a page of the app. */
  app: string
  /** Where a merchant signs in again; `return_to` names the page of the app to open afterwards. */
  session: string
  /** Type of the message in which a page tells the admin its path. */
  addressMessage: string | null
}

export function platformHost({
  DEMO_SHOP_ORIGIN: shop,
  DEMO_ADMIN_ORIGIN: origin = shop,
}: Pick<AppConfig, 'DEMO_SHOP_ORIGIN' | 'DEMO_ADMIN_ORIGIN'>): PlatformHost {
  const app = `${origin}/admin/apps/twinshelf`
  return {
    origin,
    home: `${origin}/admin`,
    app,
    session: `${app}/session`,
    addressMessage: 'app:address',
  }
}
