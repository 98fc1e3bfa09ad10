import * as Type from 'typebox'
import { configKey, type Env } from '../../../http/config.ts'

const Switch = Type.Enum(['on', 'off'])

/** The configuration keys of Shopify. Without the platform they are not needed. */
export const shopifyKeys = {
  /** Client id and secret of the app in Shopify's dashboard. */
  SHOPIFY_API_KEY: Type.Optional(Type.String({ minLength: 1 })),
  SHOPIFY_API_SECRET: Type.Optional(Type.String({ minLength: 16 })),
  /** The secret before the last rotation: Shopify signs with it for an hour more. */
  SHOPIFY_API_SECRET_OLD: Type.Optional(Type.String({ minLength: 16 })),
  /** Origin of a stand-in that answers for every shop and for the admin. */
  SHOPIFY_API_ORIGIN: Type.Optional(configKey.origin),
  /** The app's handle, as it stands in addresses of the admin. */
  SHOPIFY_APP_HANDLE: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,60}$' }),
  /** Whether Shopify has exempted the app from the rule that apps do not write theme files. */
  SHOPIFY_THEME_WRITES: Switch,
  /** Whether the shop's own experiments are read: their API is not confirmed yet. */
  SHOPIFY_ROLLOUTS: Switch,
}

/**
 * What a key has that is not set. In development, a clone that asks for the platform gets an app of
 * its own at the demo shop, which also answers as a shop of Shopify.
 */
export const shopifyDefaults = (env: Env) => ({
  SHOPIFY_APP_HANDLE: 'twinshelf',
  SHOPIFY_THEME_WRITES: 'off',
  SHOPIFY_ROLLOUTS: 'off',
  ...(env['NODE_ENV'] !== 'production' &&
    !env['SHOPIFY_API_KEY'] &&
    (env['PLATFORMS'] ?? '').split(',').includes('shopify') && {
      SHOPIFY_API_KEY: 'twinshelf-shopify',
      SHOPIFY_API_SECRET: 'development-shopify-app-secret-not-for-production',
      SHOPIFY_API_ORIGIN:
        env['DEMO_SHOP_ORIGIN'] || `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
    }),
})

/** What the adapter needs of the configuration. */
export type ShopifyConfig = {
  apiKey: string
  /** The first signs; all of them verify. */
  secrets: readonly string[]
  /** Where every shop and its admin are, instead of at Shopify. */
  standIn?: string
  appHandle: string
  writesThemes: boolean
  readsRollouts: boolean
}

/** The values of `shopifyKeys`, as the engine's configuration has them. */
export type ShopifyValues = {
  SHOPIFY_API_KEY?: string
  SHOPIFY_API_SECRET?: string
  SHOPIFY_API_SECRET_OLD?: string
  SHOPIFY_API_ORIGIN?: string
  SHOPIFY_APP_HANDLE: string
  SHOPIFY_THEME_WRITES: string
  SHOPIFY_ROLLOUTS: string
}

/** Keys that the platform cannot work without. */
export const shopifyNeeds = ['SHOPIFY_API_KEY', 'SHOPIFY_API_SECRET'] as const

/** Throws an Error that names the keys that are missing. */
export function shopifyConfig(values: ShopifyValues): ShopifyConfig {
  const { SHOPIFY_API_KEY: apiKey, SHOPIFY_API_SECRET: secret } = values
  if (!apiKey || !secret)
    throw new Error(
      `Configuration: ${shopifyNeeds.filter(key => !values[key]).join(', ')} missing, which the platform shopify needs.`,
    )
  return {
    apiKey,
    secrets: [secret, ...(values.SHOPIFY_API_SECRET_OLD ? [values.SHOPIFY_API_SECRET_OLD] : [])],
    ...(values.SHOPIFY_API_ORIGIN && { standIn: values.SHOPIFY_API_ORIGIN }),
    appHandle: values.SHOPIFY_APP_HANDLE,
    writesThemes: values.SHOPIFY_THEME_WRITES === 'on',
    readsRollouts: values.SHOPIFY_ROLLOUTS === 'on',
  }
}
