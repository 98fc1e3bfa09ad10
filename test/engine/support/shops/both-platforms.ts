import type { DemoShopOptions } from '../../../../demo-shop/options.ts'
import type { EngineOptions } from '../../../../engine/app-options.ts'
import { startWithShop, type WithShop } from '../with-shop.ts'

/** The keys that a clone has when it asks for the platform. */
export const cloneKeys = {
  apiKey: 'twinshelf-shopify',
  apiSecret: 'development-shopify-app-secret-not-for-production',
}

/**
 * Starts an engine with both platforms, and a demo shop that answers on both. `env`: further
 * settings of the engine; `shop` and `shopify`: of the demo shop and of its second face.
 */
export const startOnBoth = (
  env: Record<string, string> = {},
  {
    shopify,
    ...shop
  }: Omit<Partial<DemoShopOptions>, 'shopify'> & {
    shopify?: Partial<NonNullable<DemoShopOptions['shopify']>>
  } = {},
  engine: Partial<EngineOptions> = {},
): Promise<WithShop> =>
  startWithShop(
    engine,
    { PLATFORMS: 'demo,shopify', ...env },
    { ...shop, shopify: { keys: cloneKeys, appHandle: 'twinshelf', ...shopify } },
  )
