import type { FastifyBaseLogger } from 'fastify'
import type { EngineConfig } from './config.ts'
import type { Db } from './db/connection.ts'
import type { Limits } from './http/shared-limits.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal-contract.ts'
import type { Platform } from './platform/adapter.ts'
import type { Platforms } from './platform/platforms.ts'
import type { PlatformTokens } from './session/platform-tokens.ts'
import type { ScriptPublisher } from './script/script-publisher.ts'

/** What every plugin of the engine gets. There are no globals. */
export type EngineContext = {
  db: Db
  /**
   * The current time, for everything that merchants and shoppers see. Tests and seeding shift it.
   */
  clock: () => Date
  /** Calls about shops, each on the platform of its shop. */
  platform: Platform
  platforms: Platforms
  platformTokens: PlatformTokens
  /** The shop that needs no onboarding and is ready at its first sign-in. */
  readyShop: string | null
  config: EngineConfig
  publisher: ScriptPublisher
  jobs: Jobs
  journal: Journal
  limits: Limits
  log: FastifyBaseLogger
}
