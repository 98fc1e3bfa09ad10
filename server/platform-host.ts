import type { AppConfig } from './config.ts'

/**
 * The platform's admin that frames the app: all that the app knows of it. Another platform is another answer here; one
 * whose own script follows the app's address, as the hosted platform's does, has no message.
 */
export type PlatformHost = {
  origin: string
  /** The admin itself. */
  home: string
  /** Where it shows the app: this, and the path of a page of ours. */
  app: string
  /** Where a session begins again; `return_to` names the page of ours that follows. */
  session: string
  /** Type of the message by which a page says at which path it is. */
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
