import type { EngineContext } from '../context.ts'
import type { PlatformAdapter } from './adapter.ts'
import { markDemo } from './demo/demo-data.ts'
import { developmentStaff } from './demo/demo-staff.ts'
import { seedDemoStores } from './demo/demo-stores.ts'
import { demoPlatform, demoShop } from './demo/demo.ts'
import type { PlatformName } from './platform-names.ts'
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
}

/**
 * The one place that knows which platforms there are: makes those that the configuration switches
 * on. `tokens`: where adapters get the tokens for calls about a shop (session/platform-tokens.ts).
 */
export const platformsFrom = (
  config: PlatformConfig,
  tokens: TokenSource,
  more: readonly PlatformAdapter[] = [],
  limit?: Limit,
): Platforms =>
  composed(
    [
      ...config.PLATFORMS.split(',').map(name => makers[name as PlatformName](config, tokens)),
      ...more,
    ],
    limit,
  )

const makers: Record<
  PlatformName,
  (config: PlatformConfig, tokens: TokenSource) => PlatformAdapter
> = {
  demo: (config, tokens) =>
    demoPlatform({
      appKey: config.DEMO_APP_KEY,
      appSecret: config.DEMO_APP_SECRET,
      shopOrigin: config.DEMO_SHOP_ORIGIN,
      adminOrigin: config.DEMO_ADMIN_ORIGIN,
      tokens,
      rate: config.DEMO_SHOP_RATE,
    }),
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
export const samplesOf = (context: EngineContext): Samples => ({
  markStore: shop => markDemo(context.db, shop),
  addStores: () => seedDemoStores(context),
})
