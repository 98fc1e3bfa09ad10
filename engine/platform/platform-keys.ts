import type { Env } from '../../http/config.ts'
import { demoDefaults, demoKeys, demoSecrets } from './demo/demo-config.ts'
import { shopifyDefaults, shopifyKeys } from './shopify/shopify-config.ts'

// The configuration of all platforms, so that engine/config.ts knows none of them.
export const platformKeys = { ...demoKeys, ...shopifyKeys }
export const platformDefaults = (env: Env) => ({ ...demoDefaults(env), ...shopifyDefaults(env) })
/** Public secrets for a fresh clone. */
export const platformSecrets = demoSecrets
