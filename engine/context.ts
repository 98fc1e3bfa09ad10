import type { FastifyBaseLogger } from 'fastify'
import type { EngineConfig } from './config.ts'
import type { Db } from './db/connection.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal-contract.ts'
import type { Platform } from './platform/adapter.ts'
import type { ScriptPublisher } from './script/script-publisher.ts'

/** What every plugin of the engine is handed; there are no globals. */
export type EngineContext = {
  db: Db
  /** Now, for everything a merchant or shopper sees; tests and seeding shift it. */
  clock: () => Date
  platform: Platform
  /** The shop that is ready from its first sign-in on: the demo shop, which has nobody to onboard. */
  readyShop: string | null
  config: EngineConfig
  publisher: ScriptPublisher
  jobs: Jobs
  journal: Journal
  log: FastifyBaseLogger
}
