import type { FastifyBaseLogger } from 'fastify'
import type { Answered } from '../domain/answered.ts'
import type { Quotas } from '../domain/quota.ts'
import type { EngineConfig } from './config.ts'
import type { Db } from './db/connection.ts'
import type { BackupState } from './operators/backup-schedule.ts'
import type { DiskOptions } from './db/disk.ts'
import type { Platform, PlatformAdapter } from './platform/adapter.ts'
import type { TokenSource } from './platform/tokens.ts'

/** What an engine is built from: the configuration, and what tests and other programs pass in. */
export type EngineOptions = {
  config: EngineConfig
  /**
   * A database that the caller opens and closes. When it is absent, the engine opens one from the
   * configuration and closes it itself.
   */
  db?: Db
  /**
   * The current time, for everything that merchants and shoppers see. Seeding and tests shift it.
   */
  clock?: () => Date
  /**
   * Whether sample data is being made, whose clock shows one moment of the past while the events of
   * many days arrive. Checks by the minute would put tests on hold before events that were counted
   * already, so that figures would no longer match the events. So there are none meanwhile.
   */
  isPastMade?: () => boolean
  log?: FastifyBaseLogger
  /** For tests: platforms beside those that the configuration switches on. */
  morePlatforms?: (config: EngineConfig, tokens: TokenSource) => readonly PlatformAdapter[]
  /** Called for every request after its answer. */
  onAnswered?: (answer: Answered) => void
  /**
   * For tests: another build of the storefront runtime, and how often the script outbox is read
   * (milliseconds).
   */
  runtimeFile?: URL
  publishEvery?: number
  /** The state of the scheduled backups; null when none are configured. */
  backups?: () => BackupState | null
  /** For tests and the benchmarks: other limits for a store's calls. */
  quotas?: Partial<Quotas>
  /** For tests: a shop that answers differently, for example later. */
  wrapPlatform?: (platform: Platform) => Platform
  /** For tests: replaces the reading of the disk's free space. */
  readDisk?: NonNullable<DiskOptions['read']>
  /**
   * For tests: false switches off everything that a timer starts (rollup, page days, exposures, the
   * schedule's minute). Tests then call each of them.
   */
  byItself?: boolean
}
