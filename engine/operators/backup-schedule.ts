import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { day, hour, minute } from '../../domain/time-units.ts'
import type { BackupPlace } from './backup-places.ts'

/**
 * A storage's clock may be so much ahead of ours. A date beyond that is wrong, and keeps no backup
 * from being made.
 */
const clockSkew = 15 * minute

type Options = {
  place: BackupPlace
  hours: number
  days: number
  log: FastifyBaseLogger
  clock?: () => Date
  /** Makes one backup in `place`. */ make?: (signal: AbortSignal) => Promise<void>
}
/**
 * `newestAt`: null before the first backup, and until the place has been listed. `problem`: why the
 * last look failed, or that no backup was made for too long.
 */
export type BackupState = { newestAt: Date | null; problem: string | null }
export type BackupSchedule = {
  /**
   * Makes a backup when one is due, and deletes backups that are too old. Never throws: `state`
   * reports failures.
   */
  look: () => Promise<void>
  state: () => BackupState
  stop: () => Promise<void>
}

/**
 * Schedules backups. The time of the last backup is read from the place itself, so a restart makes
 * no extra backup. A failure is logged and tried again within 15 minutes.
 */
export function backupSchedule({
  place,
  hours,
  days,
  log,
  clock = () => new Date(),
  make = inProcess,
}: Options): BackupSchedule {
  let looking = Promise.resolve(),
    newest: number | null = null,
    failure: string | null = null
  const started = clock().getTime(),
    stopping = new AbortController()
  const listed = async () => {
    const backups = await place.list(),
      dates = backups.map(({ at }) => at).filter(at => at <= clock().getTime() + clockSkew)
    newest = dates.length === 0 ? null : Math.max(...dates)
    return backups
  }
  const look = async () => {
    try {
      stopping.signal.throwIfAborted()
      const now = clock().getTime()
      await listed()
      if (newest === null || now - newest >= hours * hour) {
        await make(stopping.signal)
        log.info({ place: place.name }, 'backup made')
      }
      for (const { name, at } of await listed())
        if (at < newest! && now - at > days * day) await place.remove(name)
      failure = null
    } catch (error) {
      if (stopping.signal.aborted) return
      failure = error instanceof Error ? error.message : String(error)
      log.error({ err: error, place: place.name }, 'no backup could be made')
    }
  }
  const inTurn = () => (looking = looking.then(look))
  const timer = setInterval(() => void inTurn(), 15 * minute).unref()
  /** Allows an hour more, because a backup takes time and the present look may still be running. */
  const isLate = () => clock().getTime() - (newest ?? started) > (2 * hours + 1) * hour
  return {
    look: inTurn,
    state: () => ({
      newestAt: newest === null ? null : new Date(newest),
      problem:
        failure ?? (isLate() ? `No backup was made for more than ${2 * hours} hours.` : null),
    }),
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await looking
    },
  }
}

/**
 * Runs the operators' backup command in another process with the same configuration, so that
 * requests do not wait for the compression.
 */
async function inProcess(signal: AbortSignal): Promise<void> {
  const source = fileURLToPath(new URL('../../scripts/backup.ts', import.meta.url)),
    built = fileURLToPath(new URL('../../dist/backup.js', import.meta.url))
  const child = fork(existsSync(source) ? source : built, [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
  })
  let told = ''
  child.stderr!.on('data', (part: Buffer) => {
    told = (told + String(part)).slice(-2_000)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(told.trim() || `The backup ended with code ${code}.`)
}
