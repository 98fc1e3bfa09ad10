import * as Type from 'typebox'
import { configKey, type Env } from '../../../http/config.ts'

/** The configuration keys of the demo platform. */
export const demoKeys = {
  DEMO_APP_KEY: Type.String({ minLength: 1 }),
  DEMO_APP_SECRET: Type.String({ minLength: 16 }),
  DEMO_SHOP_ORIGIN: configKey.origin,
  /** Origin of the shop's admin, when it has its own host name. */
  DEMO_ADMIN_ORIGIN: Type.Optional(configKey.origin),
}

export const demoDefaults = (env: Env) => ({
  DEMO_APP_KEY: 'twinshelf-demo',
  DEMO_SHOP_ORIGIN: `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
})

/** Lets a fresh clone run. It is public, so production refuses to start with it. */
export const demoSecrets = {
  DEMO_APP_SECRET: 'development-demo-app-secret-not-for-production',
}
