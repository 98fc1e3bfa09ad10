import * as Type from 'typebox'
import { addressHeaderPattern, addressHeaderProblem } from '../domain/events/client-address.ts'
import { tagManagerPattern } from '../domain/google/gtm-id.ts'
import { platformDefaults, platformKeys, platformSecrets } from './platform/platform-keys.ts'
import { platformNames } from './platform/platform-names.ts'
import { checkedConfig, configKey, type Env, givenOf } from '../http/config.ts'

const Secret = Type.String({ minLength: 16 })
const PerMinute = Type.Integer({ minimum: 1 })
const Origin = configKey.origin
const aPlatform = platformNames.join('|')

/** The engine's configuration keys. All of them are environment variables. */
export const EngineConfig = Type.Object({
  NODE_ENV: Type.Optional(Type.String()),
  ENGINE_PORT: configKey.port,
  /**
   * Address to listen on. Use another one than loopback only when other machines must reach the
   * engine.
   */
  ENGINE_HOST: Type.String({ minLength: 1 }),
  DATA_DIR: Type.String({ minLength: 1 }),
  DATABASE_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /**
   * The same Postgres server without a pooler in between: a pooler in transaction mode does not
   * pass on notifications.
   */
  DATABASE_LISTEN_URL: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /**
   * Where engines count limits together: `redis://…`, or `rediss://…` with TLS. Without it they
   * count in the Postgres that they share.
   */
  REDIS_URL: Type.Optional(Type.String({ pattern: '^rediss?://[^/]+' })),
  /**
   * Origin at which browsers reach the script, the collector and the webhooks. Default: the app's
   * own origin.
   */
  PUBLIC_ORIGIN: Origin,
  /** Origin at which browsers reach the app. Links in mails lead there. */
  APP_ORIGIN: Origin,
  /**
   * Origin at which API clients reach this engine, written into the API document. Without it, the
   * origin of the document itself applies.
   */
  API_PUBLIC_ORIGIN: Type.Optional(Origin),
  /**
   * The key ring: secrets separated by commas or spaces. The first one signs and seals, all of them
   * verify and open.
   */
  SECRETS: Type.Optional(Type.String({ pattern: '^[^\\s,]{16,}([\\s,]+[^\\s,]{16,})*$' })),
  /**
   * A single secret, the older way. When SECRETS is set too, this key comes last in the ring. One
   * of the two must be set.
   */
  SESSION_SECRET: Type.Optional(Secret),
  /** Names of the platforms that are served, separated by commas: platform/index.ts. */
  PLATFORMS: Type.String({ pattern: `^(${aPlatform})(,(${aPlatform}))*$` }),
  /** The keys of the platforms themselves. */
  ...platformKeys,
  TRUST_PROXY: Type.Optional(configKey.trustProxy),
  /**
   * Header in which the edge sends a client's address, in lower case: `fly-client-ip`. Only trusted
   * from the networks in TRUST_PROXY.
   */
  CLIENT_IP_HEADER: Type.Optional(Type.String({ pattern: addressHeaderPattern })),
  /**
   * Header in which the edge sends a visitor's country, in lower case: `cf-ipcountry`. Without it,
   * no countries are stored.
   */
  COUNTRY_HEADER: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9-]{0,60}$' })),
  /**
   * When less than this percentage of the disk is free (or less than 64 MB), the engine refuses
   * shoppers' events, so that everything else continues to work. PGlite only.
   */
  DISK_RESERVE: Type.Integer({ minimum: 1, maximum: 50 }),
  /**
   * Raw events older than this many days are deleted, one day at a time. Figures that were made
   * from them stay.
   */
  EVENT_RETENTION_DAYS: Type.Integer({ minimum: 60, maximum: 36_500 }),
  /** Our own tag manager and analytics. The app reads them from the call `about`. */
  GTM_ID: Type.Optional(Type.String({ pattern: tagManagerPattern })),
  SEGMENT_WRITE_KEY: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]{1,64}$' })),
  /**
   * Our OAuth client at Google, for merchants' own Google Analytics. Without it that integration is
   * off.
   */
  GOOGLE_CLIENT_ID: Type.Optional(Type.String({ minLength: 1 })),
  GOOGLE_CLIENT_SECRET: Type.Optional(Type.String({ minLength: 1 })),
  /** Google's endpoints: consent page, tokens, Admin API and Measurement Protocol. */
  GOOGLE_ACCOUNTS_ORIGIN: Origin,
  GOOGLE_OAUTH_ORIGIN: Origin,
  GOOGLE_API_ORIGIN: Origin,
  GOOGLE_COLLECT_ORIGIN: Origin,
  /**
   * Maximum number of beacons, and of events, per minute from one address. A whole office or mobile
   * network may share an address.
   */
  COLLECT_PER_ADDRESS: PerMinute,
  EVENTS_PER_ADDRESS: PerMinute,
  /** Maximum number of events per minute for one shop. By default the shop's plan decides. */
  EVENTS_PER_SHOP: Type.Optional(PerMinute),
  /** Maximum number of sign-ins and token refreshes per minute from one address. */
  AUTH_PER_ADDRESS: PerMinute,
  /**
   * Maximum number of staff sign-ins, and of requests for a link to set a password, per minute from
   * one address.
   */
  STAFF_SIGN_INS_PER_ADDRESS: PerMinute,
  /** Maximum number of invalid discount codes that one store may try in an hour. */
  DISCOUNT_GUESSES_PER_STORE: PerMinute,
  /** The mail server, and the sender of our mails. */
  SMTP_URL: Type.Optional(Type.String({ pattern: '^smtps?://[^/]+' })),
  MAIL_FROM: Type.Optional(Type.String({ pattern: '^[^\\r\\n]*[^\\s@]@[^\\s@]+$' })),
  /**
   * Email of the first member of staff. They are invited when the engine starts and finds no staff.
   */
  ADMIN_EMAIL: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 320 })),
  /** Address that gets a mail for each request for a custom plan. Without it, none is mailed. */
  LEADS_EMAIL: Type.Optional(
    Type.String({ pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$', maxLength: 320 }),
  ),
  /**
   * The Chrome, Chromium or Edge that opens pages of the shop: an absolute path, or `off`. Without
   * it, the engine searches the usual places.
   */
  CHROMIUM_PATH: Type.Optional(Type.String({ pattern: '^(off|/.+|[A-Za-z]:[\\\\/].+)$' })),
  /**
   * Socket of a launcher that starts the browser under another account. The image's entrypoint sets
   * it.
   */
  CHROMIUM_LAUNCHER: Type.Optional(Type.String({ pattern: '^/.+$' })),
  /**
   * `auto`: use the browser's sandbox where the system allows one. `on`: never start without it.
   * `off`: start without it, which is the only way as root.
   */
  CHROMIUM_SANDBOX: Type.Enum(['auto', 'on', 'off']),
  /**
   * Whether backups are encrypted with a key of the ring. Then they can only be opened with the
   * secrets.
   */
  BACKUP_SEAL: Type.Enum(['on', 'off']),
  /**
   * Where the engine puts its scheduled backups: a folder, or a bucket of S3-compatible storage.
   * Without either, it makes none.
   */
  BACKUP_DIR: Type.Optional(Type.String({ minLength: 1 })),
  BACKUP_S3_URL: Type.Optional(Type.String({ pattern: '^https?://[^/]+(/[^?#]*)?$' })),
  BACKUP_S3_REGION: Type.String({ minLength: 1 }),
  BACKUP_S3_KEY: Type.Optional(Type.String({ minLength: 1 })),
  BACKUP_S3_SECRET: Type.Optional(Type.String({ minLength: 1 })),
  /** Hours between backups, and days to keep them. The newest backup is always kept. */
  BACKUP_HOURS: Type.Integer({ minimum: 1, maximum: 8_760 }),
  BACKUP_DAYS: Type.Integer({ minimum: 1, maximum: 3_650 }),
})
export type EngineConfig = Type.Static<typeof EngineConfig>

// These let a fresh clone run. They are public, so production refuses to start with them.
const developmentSecrets = {
  SESSION_SECRET: 'development-session-secret-not-for-production',
  ...platformSecrets,
}

/** Keys that only work together. */
const pairs = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['SMTP_URL', 'MAIL_FROM'],
] as const

/**
 * Reads and checks the configuration. Throws one error that names every missing or wrong key, and
 * never shows a value.
 */
export function engineConfig(env: Env): EngineConfig {
  const isProduction = env['NODE_ENV'] === 'production'
  const given = givenOf(EngineConfig, env)
  const isSecret = Boolean(given['SECRETS'] ?? given['SESSION_SECRET']) || !isProduction
  const values = {
    PLATFORMS: platformNames[0],
    ENGINE_PORT: '3001',
    ENGINE_HOST: '127.0.0.1',
    DATA_DIR: './data',
    PUBLIC_ORIGIN: env['APP_ORIGIN'] || `http://localhost:${env['PORT'] || 3000}`,
    APP_ORIGIN: `http://localhost:${env['PORT'] || 3000}`,
    ...platformDefaults(env),
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
    // The public development secret must not open anything when the operator has set SECRETS.
    ...(given['SECRETS'] && !given['SESSION_SECRET'] && { SESSION_SECRET: undefined }),
  }
  const missing = isSecret ? [] : ['SECRETS (or SESSION_SECRET) missing']
  const config = checkedConfig(EngineConfig, values, missing)
  const problem = addressHeaderProblem(config)
  if (problem) throw new Error(problem)
  const torn = pairs.find(([one, other]) => Boolean(config[one]) !== Boolean(config[other]))
  if (torn) throw new Error(`Configuration: set both ${torn.join(' and ')}, or neither.`)
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
