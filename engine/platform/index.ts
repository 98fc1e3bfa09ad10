import type { FastifyBaseLogger } from 'fastify'
import { day } from '../../domain/time-units.ts'
import type { PlatformAdapter } from './adapter.ts'
import { markDemo } from './demo/demo-data.ts'
import { developmentStaff } from './demo/demo-staff.ts'
import { seedDemoStores } from './demo/demo-stores.ts'
import { demoPlatform, demoShop } from './demo/demo.ts'
import type { PlatformName } from './platform-names.ts'
import { shopifyConfig, type ShopifyValues } from './shopify/shopify-config.ts'
import { shopifyPlatform } from './shopify/shopify.ts'
import { composed, type Platforms } from './platforms.ts'
import type { TokenSource } from './tokens.ts'
import type { Limit } from './rates.ts'

/** The keys of the configuration that a platform may need. */
export type PlatformConfig = {
  PLATFORMS: string
  DEMO_APP_KEY: string
  DEMO_APP_SECRET: string
  DEMO_SHOP_ORIGIN: string
  DEMO_ADMIN_ORIGIN?: string
  DEMO_SHOP_RATE?: number
} & ShopifyValues

/**
 * The one place that knows which platforms there are: makes those that the configuration switches
 * on. `tokens`: where adapters get the tokens for calls about a shop (session/platform-tokens.ts).
 */
export const platformsFrom = (
  config: PlatformConfig,
  tokens: TokenSource,
  more: readonly PlatformAdapter[] = [],
  { limit, log, clock }: PlatformParts = {},
): Platforms =>
  composed(
    [
      ...config.PLATFORMS.split(',').map(name =>
        makers[name as PlatformName](config, { tokens, log, clock }),
      ),
      ...more,
    ],
    limit,
  )

/** What platforms get from the engine besides their configuration. */
export type PlatformParts = {
  limit?: Limit | undefined
  log?: Pick<FastifyBaseLogger, 'warn'> | undefined
  clock?: (() => Date) | undefined
}
type Making = Omit<PlatformParts, 'limit'> & { tokens: TokenSource }

const makers: Record<PlatformName, (config: PlatformConfig, making: Making) => PlatformAdapter> = {
  demo: (config, { tokens }) =>
    demoPlatform({
      appKey: config.DEMO_APP_KEY,
      appSecret: config.DEMO_APP_SECRET,
      shopOrigin: config.DEMO_SHOP_ORIGIN,
      adminOrigin: config.DEMO_ADMIN_ORIGIN,
      tokens,
      rate: config.DEMO_SHOP_RATE,
    }),
  shopify: (config, { tokens, log, clock }) =>
    shopifyPlatform({
      ...shopifyConfig(config),
      tokens,
      ...(clock && { clock }),
      onDrift: onceADay(version =>
        log?.warn(
          { version },
          'Shopify answers in another version of its API than the one Twinshelf is written for: update Twinshelf',
        ),
      ),
    }),
}

/** Says something at most once a day, however often it happens. */
function onceADay(say: (what: string) => void): (what: string) => void {
  let saidAt = -Infinity
  return what => {
    if (performance.now() - saidAt < day) return
    saidAt = performance.now()
    say(what)
  }
}

/** The shop that comes with the product: it needs no onboarding. */
export const readyShop: string | null = demoShop

/** The member of staff of a fresh clone. */
export const readyMember = developmentStaff

/** What the product fills in at its first start, so that no screen is empty. */
export type Samples = {
  /** Marks a store and its tests as filled by simulated shoppers, so that screens say so. */
  markStore: (shop: string) => Promise<void>
  /** Adds further stores that staff see beside the one that comes with the product. */
  addStores: () => Promise<void>
}
export const samplesOf = (context: Parameters<typeof seedDemoStores>[0]): Samples => ({
  markStore: shop => markDemo(context.db, shop),
  addStores: () => seedDemoStores(context),
})
