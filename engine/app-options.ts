import type { FastifyBaseLogger } from 'fastify'
import type { Answered } from '../domain/answered.ts'
import type { Quotas } from '../domain/quota.ts'
import type { EngineConfig } from './config.ts'
import type { Db } from './db/connection.ts'
import type { BackupState } from './operators/backup-schedule.ts'
import type { DiskOptions } from './db/disk.ts'

/** What an engine is built with: the configuration, and what tests and other programs hand it. */
export type EngineOptions = {
  config: EngineConfig
  /** Opened and closed by the caller when given; otherwise as the configuration says, and closed with the engine. */
  db?: Db
  /** Now, for all that merchants and shoppers see. Seeding and tests shift it. */
  clock?: () => Date
  log?: FastifyBaseLogger
  /** Told about every request that was answered. */
  onAnswered?: (answer: Answered) => void
  /** For tests: another build of the storefront runtime, and a quicker outbox. Milliseconds. */
  runtimeFile?: URL
  publishEvery?: number
  /** What the program's own backups came to; null where none are asked for. */
  backups?: () => BackupState | null
  /** For tests and the bench: other quotas of a store's calls. */
  quotas?: Partial<Quotas>
  readDisk?: NonNullable<DiskOptions['read']> // For tests: the disk as they would have it.
  /** For tests: false, and what the wall clock sets going (rollup, page days, exposures, the schedule's minute) is done when asked for alone. */
  byItself?: boolean
}
