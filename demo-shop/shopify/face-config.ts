import * as Type from 'typebox'
import { configKey, type Env } from '../../http/config.ts'
import type { ShopifyFaceOptions } from './face.ts'

/**
 * Configuration keys of the shop's second face. The product's adapter reads the same ones, so that
 * both have the same app.
 */
export const faceKeys = {
  SHOPIFY_API_KEY: Type.Optional(Type.String({ minLength: 1 })),
  SHOPIFY_API_SECRET: Type.Optional(Type.String({ minLength: 16 })),
  SHOPIFY_API_ORIGIN: Type.Optional(configKey.origin),
  SHOPIFY_APP_HANDLE: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,60}$' }),
  SHOPIFY_THEME_WRITES: Type.Enum(['on', 'off']),
  SHOPIFY_ROLLOUTS: Type.Enum(['on', 'off']),
}

/**
 * What a key has that is not set. In development a clone that asks for the platform gets an app of
 * its own, which lives at the demo shop; in production, keys are for real shops.
 */
export const faceDefaults = (env: Env, shopOrigin: string) => ({
  SHOPIFY_APP_HANDLE: 'twinshelf',
  SHOPIFY_THEME_WRITES: 'off',
  SHOPIFY_ROLLOUTS: 'off',
  ...(env['NODE_ENV'] !== 'production' &&
    (env['PLATFORMS'] ?? '').split(',').includes('shopify') &&
    !env['SHOPIFY_API_KEY'] && {
      SHOPIFY_API_KEY: 'twinshelf-shopify',
      SHOPIFY_API_SECRET: 'development-shopify-app-secret-not-for-production',
      SHOPIFY_API_ORIGIN: shopOrigin,
    }),
})

type Values = {
  SHOPIFY_API_KEY?: string
  SHOPIFY_API_SECRET?: string
  SHOPIFY_API_ORIGIN?: string
  SHOPIFY_APP_HANDLE: string
  SHOPIFY_THEME_WRITES: string
  SHOPIFY_ROLLOUTS: string
}

/** The face that the configuration asks for; null when the app's shops are real ones. */
export const faceOptions = (
  values: Values,
): Pick<ShopifyFaceOptions, 'keys' | 'appHandle' | 'settings'> | null =>
  values.SHOPIFY_API_KEY && values.SHOPIFY_API_SECRET && values.SHOPIFY_API_ORIGIN
    ? {
        keys: { apiKey: values.SHOPIFY_API_KEY, apiSecret: values.SHOPIFY_API_SECRET },
        appHandle: values.SHOPIFY_APP_HANDLE,
        settings: {
          themeWrites: values.SHOPIFY_THEME_WRITES === 'on',
          rollouts: values.SHOPIFY_ROLLOUTS === 'on',
        },
      }
    : null
