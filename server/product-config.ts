import * as Type from 'typebox'
import { checkedConfig, type Env, givenOf } from '../http/config.ts'

const Switch = Type.Enum(['on', 'off'])

/** Configuration keys of the whole product in one process, besides those of its parts. */
export const ProductConfig = Type.Object({
  /** Whether the demo shop runs beside the app. */
  DEMO_SHOP: Switch,
  /**
   * Whether the first start fills the demo shop with simulated shoppers. They come only while the
   * platform 'demo' is served.
   */
  DEMO_DATA: Switch,
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
})
export type ProductConfig = Type.Static<typeof ProductConfig>

/** Reads and checks the configuration. Throws one error that names every key that is wrong. */
export function productConfig(env: Env): ProductConfig {
  const { NODE_ENV, PLATFORMS, DEMO_DATA } = env,
    isProduction = NODE_ENV === 'production',
    isServed = !PLATFORMS || PLATFORMS.split(',').includes('demo')
  return checkedConfig(
    ProductConfig,
    {
      // A server for real shops has no demo shop, unless the configuration names its platform.
      DEMO_SHOP: isProduction && !isServed ? 'off' : 'on',
      DEMO_DATA: isServed ? 'on' : 'off',
      // At a terminal, people want only the addresses and problems; operators also want the
      // requests.
      LOG_LEVEL: isProduction ? 'info' : 'warn',
      ...givenOf(ProductConfig, env),
    },
    DEMO_DATA === 'on' && !isServed
      ? ["DEMO_DATA needs the platform 'demo': name it in PLATFORMS too"]
      : [],
  )
}
