import * as Type from 'typebox'
import { checkedConfig, type Env, givenOf } from '../http/config.ts'

const Switch = Type.Enum(['on', 'off'])

/** Configuration keys of the whole product in one process, besides those of its parts. */
export const ProductConfig = Type.Object({
  /** Whether the demo shop runs beside the app. */
  DEMO_SHOP: Switch,
  /** Whether the first start fills the demo shop with simulated shoppers. */
  DEMO_DATA: Switch,
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
})
export type ProductConfig = Type.Static<typeof ProductConfig>

const isForRealShops = ({ NODE_ENV, PLATFORMS }: Env): boolean =>
  NODE_ENV === 'production' && Boolean(PLATFORMS) && !PLATFORMS!.split(',').includes('demo')

/** Reads and checks the configuration. Throws one error that names every key that is wrong. */
export const productConfig = (env: Env): ProductConfig =>
  // At a terminal, people want only the addresses and problems; operators also want the requests.
  checkedConfig(ProductConfig, {
    // A server for real shops has no demo shop, unless the configuration names its platform.
    DEMO_SHOP: isForRealShops(env) ? 'off' : 'on',
    DEMO_DATA: 'on',
    LOG_LEVEL: env['NODE_ENV'] === 'production' ? 'info' : 'warn',
    ...givenOf(ProductConfig, env),
  })
