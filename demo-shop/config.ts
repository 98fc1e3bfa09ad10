import * as Type from 'typebox'
import { usualTokenLife } from './apps/app-tokens.ts'
import { capabilitiesByName, namedCapabilities } from '../domain/platform/capabilities.ts'
import { faceDefaults, faceKeys, faceOptions } from './shopify/face-config.ts'
import { checkedConfig, configKey, type Env, givenOf } from '../http/config.ts'

const Origin = configKey.origin

/** The demo shop's configuration keys, all of them environment variables. */
export const DemoShopConfig = Type.Object({
  DEMO_SHOP_PORT: configKey.port,
  /** Address it listens on. */
  DEMO_SHOP_HOST: Type.String({ minLength: 1 }),
  /** Where shoppers reach it. */
  DEMO_SHOP_ORIGIN: Origin,
  /** Where merchants reach its back office: another host name, or the shop's. */
  DEMO_ADMIN_ORIGIN: Origin,
  /**
   * The password of the back office. Without one it is open in development, and closed in
   * production.
   */
  DEMO_ADMIN_PASSWORD: Type.Optional(Type.String({ minLength: 12, maxLength: 200 })),
  NODE_ENV: Type.Optional(Type.String()),
  /** What a shop can do whose merchant has changed nothing about it. */
  DEMO_CAPABILITIES: Type.Optional(Type.Enum([...namedCapabilities])),
  APP_ORIGIN: Origin,
  /** Where its webhooks go. */
  ENGINE_ORIGIN: Origin,
  DATA_DIR: Type.String({ minLength: 1 }),
  DEMO_APP_KEY: Type.String({ minLength: 1 }),
  DEMO_APP_SECRET: Type.String({ minLength: 16 }),
  /** Seconds that the app's access tokens, and its refresh tokens, are valid at this shop. */
  DEMO_ACCESS_SECONDS: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
  DEMO_REFRESH_SECONDS: Type.Integer({ minimum: 1, maximum: 31_536_000 }),
  /** Platforms that the engine serves; the demo's own app is in the shop only if it is named. */
  PLATFORMS: Type.Optional(Type.String()),
  ...faceKeys,
})
export type DemoShopConfig = Type.Static<typeof DemoShopConfig>

// With this a fresh clone runs. It is public, so production refuses to start with it.
const developmentSecret = 'development-demo-app-secret-not-for-production'

/**
 * Reads and checks the configuration. Throws one error that names every key that is wrong, never a
 * value.
 */
export function demoShopConfig(env: Env): DemoShopConfig {
  const isProduction = env['NODE_ENV'] === 'production'
  const given = givenOf(DemoShopConfig, env)
  const config = checkedConfig(DemoShopConfig, {
    DEMO_SHOP_PORT: '3002',
    DEMO_SHOP_HOST: '127.0.0.1',
    DEMO_SHOP_ORIGIN: `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
    DEMO_ADMIN_ORIGIN:
      env['DEMO_SHOP_ORIGIN'] || `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
    APP_ORIGIN: `http://localhost:${env['PORT'] || 3000}`,
    ENGINE_ORIGIN: `http://localhost:${env['ENGINE_PORT'] || 3001}`,
    DATA_DIR: './data',
    DEMO_APP_KEY: 'twinshelf-demo',
    DEMO_APP_SECRET: developmentSecret,
    DEMO_ACCESS_SECONDS: String(usualTokenLife.access),
    DEMO_REFRESH_SECONDS: String(usualTokenLife.refresh),
    ...faceDefaults(
      env,
      env['DEMO_SHOP_ORIGIN'] || `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
    ),
    ...given,
  })
  if (isProduction && config.DEMO_APP_SECRET === developmentSecret)
    throw new Error('Configuration: DEMO_APP_SECRET must be a secret of your own in production.')
  return config
}

/** The options of `buildDemoShop` that the configuration decides. */
export const shopOptions = (config: DemoShopConfig) => ({
  origin: config.DEMO_SHOP_ORIGIN,
  adminOrigin: config.DEMO_ADMIN_ORIGIN,
  adminPassword: config.DEMO_ADMIN_PASSWORD,
  isAdminClosed: isAdminClosed(config),
  appOrigin: config.APP_ORIGIN,
  engineOrigin: config.ENGINE_ORIGIN,
  dataDir: config.DATA_DIR,
  // In production anybody can come, and an hour of orders must not fill the disk.
  ordersAMinute: config.NODE_ENV === 'production' ? 20 : null,
  appKey: config.DEMO_APP_KEY,
  appSecret: config.DEMO_APP_SECRET,
  tokenLife: { access: config.DEMO_ACCESS_SECONDS, refresh: config.DEMO_REFRESH_SECONDS },
  capabilities: capabilitiesByName[config.DEMO_CAPABILITIES ?? 'richest'],
  shopify: faceOptions(config),
  hasDemoApp: config.PLATFORMS?.split(',').includes('demo') ?? true,
})

/**
 * What an operator should know about the back office as it is configured; null when all is well.
 */
export function adminWarning(config: DemoShopConfig): string | null {
  if (isAdminClosed(config)) return 'back office closed: set DEMO_ADMIN_PASSWORD to open it'
  const isShared =
    new URL(config.DEMO_ADMIN_ORIGIN).hostname === new URL(config.DEMO_SHOP_ORIGIN).hostname
  return config.NODE_ENV === 'production' && isShared
    ? 'the back office has the shop’s own host name, so scripts of a theme run beside it: set DEMO_ADMIN_ORIGIN to a name of its own'
    : null
}

/** In production, a back office without a password is closed. */
export const isAdminClosed = ({ NODE_ENV, DEMO_ADMIN_PASSWORD }: DemoShopConfig): boolean =>
  NODE_ENV === 'production' && DEMO_ADMIN_PASSWORD === undefined
