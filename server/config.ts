import * as Type from 'typebox'
import { addressHeaderPattern, addressHeaderProblem } from '../domain/events/client-address.ts'
import { checkedConfig, configKey, type Env, givenOf } from '../http/config.ts'

const Origin = configKey.origin
/**
 * These addresses go into a content security policy, where a space, comma or semicolon would end
 * them.
 */
const BareOrigin = Type.String({ pattern: '^https?://[\\w.:[\\]-]+$' })
const Address = Type.String({ pattern: '^https?://[\\w.:[\\]-]+(/[^\\s"\'<>,;]*)?$' })

/** The app's configuration keys, all of them environment variables. */
export const AppConfig = Type.Object({
  NODE_ENV: Type.Optional(Type.String()),
  PORT: configKey.port,
  /** Address that the app listens on. Default: every address in production, loopback otherwise. */
  HOST: Type.String({ minLength: 1 }),
  /**
   * Origin at which browsers reach the app. With https its cookies are bound to this host and work
   * inside a frame.
   */
  APP_ORIGIN: Origin,
  /** The API that the app calls. Without it, the engine in the same process. */
  API_ORIGIN: Type.Optional(Origin),
  /** Where merchants write for help; without it the support page says that there is no address. */
  SUPPORT_EMAIL: Type.Optional(Type.String({ pattern: '^[^\\s@<>?&]+@[^\\s@<>?&]+$' })),
  /**
   * Page where merchants book a meeting about a custom plan, shown in a frame; without it they fill
   * in a form and we write to them.
   */
  SCHEDULER_URL: Type.Optional(Address),
  /** The scheduler's embed script, loaded beside that frame. */
  SCHEDULER_SCRIPT_URL: Type.Optional(Address),
  TRUST_PROXY: Type.Optional(configKey.trustProxy),
  /**
   * Header in which the edge proxy sends the client's address, in lower case: `fly-client-ip`.
   * Trusted only from the networks in TRUST_PROXY.
   */
  CLIENT_IP_HEADER: Type.Optional(Type.String({ pattern: addressHeaderPattern })),
  /** Documentation that the top bar links to; without it our own guide. */
  DOCS_URL: Type.Optional(Address),
  /** Segment's tracking API, or a stand-in for it; used when `about` names a write key. */
  SEGMENT_ORIGIN: BareOrigin,
  /** Where the tag manager's script is loaded from; used when `about` names its id. */
  GTM_ORIGIN: BareOrigin,
  /** Script of the in-app guidance tool. */
  GUIDANCE_URL: Type.Optional(Address),
  /** The function of that tool to call after each navigation: a dotted name on `window`. */
  GUIDANCE_RELOAD: Type.Optional(
    Type.String({ pattern: '^[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*$' }),
  ),
})
export type AppConfig = Type.Static<typeof AppConfig>

/**
 * Reads and checks the configuration. Throws one error that names every key that is missing or
 * wrong, never a value.
 */
export function appConfig(env: Env): AppConfig {
  const given = givenOf(AppConfig, env)
  const config = checkedConfig(AppConfig, {
    PORT: '3000',
    HOST: env['NODE_ENV'] === 'production' ? '0.0.0.0' : '127.0.0.1',
    APP_ORIGIN: `http://localhost:${env['PORT'] || 3000}`,
    SEGMENT_ORIGIN: 'https://api.segment.io',
    GTM_ORIGIN: 'https://www.googletagmanager.com',
    ...given,
  })
  const problem = addressHeaderProblem(config)
  if (problem) throw new Error(problem)
  return config
}
