import type { FastifyBaseLogger } from 'fastify'
import type { EngineConfig } from './config.ts'
import type { Db } from './db/connection.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal-contract.ts'
import type { Platform } from './platform/adapter.ts'
import type { ScriptPublisher } from './script/script-publisher.ts'

/** What every plugin of the engine gets. There are no globals. */
export type EngineContext = {
  db: Db
  /**
   * The current time, for everything that merchants and shoppers see. Tests and seeding shift it.
   */
  clock: () => Date
  platform: Platform
  /** The shop that needs no onboarding and is ready at its first sign-in: the demo shop. */
  readyShop: string | null
  config: EngineConfig
  publisher: ScriptPublisher
  jobs: Jobs
  journal: Journal
  log: FastifyBaseLogger
}
