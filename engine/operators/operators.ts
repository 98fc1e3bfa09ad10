import type { FastifyBaseLogger } from 'fastify'
import type { Engine } from '../app.ts'
import { backupPlace } from './backup-places.ts'
import { backupSchedule, type BackupState } from './backup-schedule.ts'
import type { EngineConfig } from '../config.ts'
import type { ProcessMetrics } from './metrics-listener.ts'
import { operatorSocket } from './operator-socket.ts'

export type Operators = {
  /** The state of the scheduled backups; null when none are configured, and before `begin`. */
  backups: () => BackupState | null
  /** Starts both on the engine's database. */
  begin: (engine: Pick<Engine, 'db'>) => Promise<void>
  close: () => Promise<void>
}

/**
 * The services for operators while an engine runs: snapshots for `npm run backup`, and scheduled
 * backups. Throws when the configuration is contradictory.
 */
export function forOperators(
  config: EngineConfig,
  log: FastifyBaseLogger,
  metrics: Pick<ProcessMetrics, 'gauge'> | null,
): Operators {
  const place = backupPlace(config)
  let socket: { close: () => Promise<void> } | null = null,
    schedule: ReturnType<typeof backupSchedule> | null = null
  const backups = () => schedule?.state() ?? null
  return {
    backups,
    begin: async ({ db }) => {
      if (db.pglite)
        socket = await operatorSocket({ pglite: db.pglite, dataDir: config.DATA_DIR, log })
      if (!place) return
      const own = (schedule = backupSchedule({
        place,
        hours: config.BACKUP_HOURS,
        days: config.BACKUP_DAYS,
        log,
      }))
      metrics?.gauge(
        'backup_age_seconds',
        'Time since the newest of the program’s own backups; +Inf before the first.',
        () => (Date.now() - (own.state().newestAt?.getTime() ?? -Infinity)) / 1000,
      )
      metrics?.gauge(
        'backup_failed',
        '1 while the last of them failed, or none was made for too long.',
        () => Number(own.state().problem !== null),
      )
      void own.look()
    },
    close: async () => {
      await schedule?.stop()
      await socket?.close()
    },
  }
}
