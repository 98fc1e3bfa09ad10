import * as Type from 'typebox'
import { addressHeaderPattern, addressHeaderProblem } from '../domain/events/client-address.ts'
import { tagManagerPattern } from '../domain/google/gtm-id.ts'
import { checkedConfig, configKey, type Env, givenOf } from '../http/config.ts'

const Secret = Type.String({ minLength: 16 })
const PerMinute = Type.Integer({ minimum: 1 })
const Origin = configKey.origin

/** The engine's configuration keys, all of them environment variables. */
export const EngineConfig = Type.Object({
  NODE_ENV: Type.Optional(Type.String()),
  ENGINE_PORT: configKey.port,
  /** Address it listens on; loopback unless it is to be reached from outside. */
  ENGINE_HOST: Type.String({ minLength: 1 }),
  DATA_DIR: Type.String({ minLength: 1 }),
  DATABASE_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /** The same server without a pooler between: one that pools transactions passes no notifications on. */
  DATABASE_LISTEN_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /** Where browsers reach script, collector and webhooks: the app's own origin by default. */
  PUBLIC_ORIGIN: Origin,
  /** Where browsers reach the app: links in mails lead there. */
  APP_ORIGIN: Origin,
  /** Where clients of the API reach this engine, for the API document; none means where the document was fetched. */
  API_PUBLIC_ORIGIN: Type.Optional(Origin),
  /** The key ring, by comma or space: the first signs and seals, all verify and open. */
  SECRETS: Type.Optional(Type.String({ pattern: '^[^\\s,]{16,}([\\s,]+[^\\s,]{16,})*$' })),
  /** One secret, as before there was a ring; beside SECRETS it stands behind them. One of the two must be there. */
  SESSION_SECRET: Type.Optional(Secret),
  PLATFORM: configKey.platform,
  DEMO_APP_KEY: Type.String({ minLength: 1 }),
  DEMO_APP_SECRET: Secret,
  DEMO_SHOP_ORIGIN: Origin,
  /** Where the shop's back office has a host name of its own. */
  DEMO_ADMIN_ORIGIN: Type.Optional(Origin),
  TRUST_PROXY: Type.Optional(configKey.trustProxy),
  /** Header in which the edge says a client's address, in lower case: `fly-client-ip`. Believed from TRUST_PROXY's networks alone. */
  CLIENT_IP_HEADER: Type.Optional(Type.String({ pattern: addressHeaderPattern })),
  /** Header by which the edge says a visitor's country, in lower case: `cf-ipcountry`. None: countries are not kept. */
  COUNTRY_HEADER: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9-]{0,60}$' })),
  /** Percent of the disk below which shoppers' events are not taken, so that all else continues; PGlite only, 64 MB at least. */
  DISK_RESERVE: Type.Integer({ minimum: 1, maximum: 50 }),
  /** Raw events of more than so many days ago are dropped, day by day; what was summed up of them stays. */
  EVENT_RETENTION_DAYS: Type.Integer({ minimum: 60, maximum: 36_500 }),
  /** The product's own tag manager and analytics, told to the app by `about`. */
  GTM_ID: Type.Optional(Type.String({ pattern: tagManagerPattern })),
  SEGMENT_WRITE_KEY: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]{1,64}$' })),
  /** Our client at Google, for merchants' own Google Analytics; without it that integration is switched off. */
  GOOGLE_CLIENT_ID: Type.Optional(Type.String({ minLength: 1 })),
  GOOGLE_CLIENT_SECRET: Type.Optional(Type.String({ minLength: 1 })),
  /** Google's endpoints: consent page, tokens, Admin API and Measurement Protocol. */
  GOOGLE_ACCOUNTS_ORIGIN: Origin,
  GOOGLE_OAUTH_ORIGIN: Origin,
  GOOGLE_API_ORIGIN: Origin,
  GOOGLE_COLLECT_ORIGIN: Origin,
  /** Beacons and events a minute from one address (which a whole office or mobile network may share). */
  COLLECT_PER_ADDRESS: PerMinute,
  EVENTS_PER_ADDRESS: PerMinute,
  /** Events a minute for one shop; when left out, its plan says how many. */
  EVENTS_PER_SHOP: Type.Optional(PerMinute),
  /** Sign-ins and token refreshes a minute from one address. */
  AUTH_PER_ADDRESS: PerMinute,
  /** Staff's sign-ins and links to set a password a minute from one address. */
  STAFF_SIGN_INS_PER_ADDRESS: PerMinute,
  /** Discount codes that are not valid, tried by one store in an hour. */
  DISCOUNT_GUESSES_PER_STORE: PerMinute,
  /** The mail server, and whom mails are from. */
  SMTP_URL: Type.Optional(Type.String({ pattern: '^smtps?://[^/]+' })),
  MAIL_FROM: Type.Optional(Type.String({ pattern: '^[^\\r\\n]*[^\\s@]@[^\\s@]+$' })),
  /** The first member of staff, invited at a start that finds none. */
  ADMIN_EMAIL: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 320 })),
  /** The Chrome, Chromium or Edge that looks at the shop: an absolute path, or `off`; found in the usual places when left out. */
  CHROMIUM_PATH: Type.Optional(Type.String({ pattern: '^(off|/.+|[A-Za-z]:[\\\\/].+)$' })),
  /** Socket of a launcher that starts it under another account; the image's entrypoint sets it. */
  CHROMIUM_LAUNCHER: Type.Optional(Type.String({ pattern: '^/.+$' })),
  /** `auto`: with its sandbox where the system lets it build one; `on`: not without; `off`: without, which is all that root gets. */
  CHROMIUM_SANDBOX: Type.Enum(['auto', 'on', 'off']),
  /** Whether backups are sealed with a key of the ring: then they open with the secrets alone. */
  BACKUP_SEAL: Type.Enum(['on', 'off']),
  /** Where the program puts backups of its own accord, a folder or a bucket of S3-compatible storage; none are made without. */
  BACKUP_DIR: Type.Optional(Type.String({ minLength: 1 })),
  BACKUP_S3_URL: Type.Optional(Type.String({ pattern: '^https?://[^/]+(/[^?#]*)?$' })),
  BACKUP_S3_REGION: Type.String({ minLength: 1 }),
  BACKUP_S3_KEY: Type.Optional(Type.String({ minLength: 1 })),
  BACKUP_S3_SECRET: Type.Optional(Type.String({ minLength: 1 })),
  /** Hours between them, and days that they are kept. The newest always is. */
  BACKUP_HOURS: Type.Integer({ minimum: 1, maximum: 8_760 }),
  BACKUP_DAYS: Type.Integer({ minimum: 1, maximum: 3_650 }),
})
export type EngineConfig = Type.Static<typeof EngineConfig>

// So that a fresh clone runs; they are public knowledge, and production refuses to start on them.
const developmentSecrets = {
  SESSION_SECRET: 'development-session-secret-not-for-production',
  DEMO_APP_SECRET: 'development-demo-app-secret-not-for-production',
}

/** A member of staff for a fresh clone, as public as the secrets above; production never makes it (staff-first.ts). */
export const developmentStaff = {
  email: 'staff@twinshelf.test',
  name: 'Demo staff',
  password: 'shelf by shelf by shelf',
}

/** Keys that mean nothing without one another. */
const pairs = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['SMTP_URL', 'MAIL_FROM'],
] as const

/** Reads and checks the configuration. Throws one error that names every key that is missing or wrong, never a value. */
export function engineConfig(env: Env): EngineConfig {
  const isProduction = env['NODE_ENV'] === 'production'
  const given = givenOf(EngineConfig, env)
  const isSecret = Boolean(given['SECRETS'] ?? given['SESSION_SECRET']) || !isProduction
  const values = {
    PLATFORM: 'demo',
    ENGINE_PORT: '3001',
    ENGINE_HOST: '127.0.0.1',
    DATA_DIR: './data',
    PUBLIC_ORIGIN: env['APP_ORIGIN'] || `http://localhost:${env['PORT'] || 3000}`,
    APP_ORIGIN: `http://localhost:${env['PORT'] || 3000}`,
    DEMO_APP_KEY: 'twinshelf-demo',
    DEMO_SHOP_ORIGIN: `http://localhost:${env['DEMO_SHOP_PORT'] || 3002}`,
    GOOGLE_ACCOUNTS_ORIGIN: 'https://accounts.google.com',
    GOOGLE_OAUTH_ORIGIN: 'https://oauth2.googleapis.com',
    GOOGLE_API_ORIGIN: 'https://analyticsadmin.googleapis.com',
    GOOGLE_COLLECT_ORIGIN: 'https://www.google-analytics.com',
    COLLECT_PER_ADDRESS: '6000',
    EVENTS_PER_ADDRESS: '6000',
    EVENT_RETENTION_DAYS: '760',
    DISK_RESERVE: '5',
    AUTH_PER_ADDRESS: '300',
    STAFF_SIGN_INS_PER_ADDRESS: '30',
    DISCOUNT_GUESSES_PER_STORE: '20',
    BACKUP_SEAL: 'off',
    BACKUP_S3_REGION: 'auto',
    BACKUP_HOURS: '24',
    BACKUP_DAYS: '30',
    CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : 'auto',
    ...(isProduction ? {} : developmentSecrets),
    ...given,
    // What everybody knows opens nothing where there are secrets of one's own.
    ...(given['SECRETS'] && !given['SESSION_SECRET'] && { SESSION_SECRET: undefined }),
  }
  const missing = isSecret ? [] : ['SECRETS (or SESSION_SECRET) missing']
  const config = checkedConfig(EngineConfig, values, missing)
  const problem = addressHeaderProblem(config)
  if (problem) throw new Error(problem)
  const torn = pairs.find(([one, other]) => Boolean(config[one]) !== Boolean(config[other]))
  if (torn) throw new Error(`Configuration: ${torn.join(' and ')} go together.`)
  const known = Object.entries(developmentSecrets).filter(
    ([key, value]) =>
      isProduction &&
      (config[key as keyof EngineConfig] === value ||
        (key === 'SESSION_SECRET' && config.SECRETS?.includes(value))),
  )
  if (known.length === 0) return config
  throw new Error(
    `Configuration: ${known.map(([key]) => `${key} must be a secret of your own in production`).join('; ')}.`,
  )
}
