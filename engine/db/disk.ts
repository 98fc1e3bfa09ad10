import { statfsSync } from 'node:fs'
import { type DiskSpace, isNearlyFull, spaceWords } from '../../domain/disk-space.ts'

/**
 * The disk of the database. Raw events must not fill it: when it is nearly full they are refused
 * first, and everything else continues.
 */
export type Disk = {
  /** Null when the database is on another machine. */
  space: () => DiskSpace | null
  /**
   * True while shoppers' events are refused: little space is free, or the database has just
   * reported a full disk.
   */
  isHeldBack: () => boolean
  /** Why events are refused, as a sentence. Null while they are accepted. */
  trouble: () => string | null
  /** Call this with the error when something could not be stored. */
  failed: (error: unknown) => void
}

export type DiskOptions = {
  /** The database's folder. Null when it is not on this machine. */
  folder: string | null
  /** Percentage of the disk that must stay free. */
  reserve: number
  /** For tests. */
  read?: (folder: string) => DiskSpace
  now?: () => number
}

/**
 * Milliseconds that a reading of the free space stays valid, and that a report of the database
 * about a full disk does.
 */
const lookHolds = 1_000,
  wordHolds = 30_000

export function diskOf({
  folder,
  reserve,
  read = spaceOf,
  now = () => performance.now(),
}: DiskOptions): Disk {
  let seen: DiskSpace | null = null,
    seenAt = -Infinity,
    fullAt = -Infinity
  const space = () => {
    if (folder !== null && now() - seenAt >= lookHolds) {
      seenAt = now()
      seen = read(folder)
    }
    return seen
  }
  const isOut = () => now() - fullAt < wordHolds
  const isLow = () => {
    const own = space()
    return own !== null && isNearlyFull(own, reserve)
  }
  return {
    space,
    isHeldBack: () => isOut() || isLow(),
    trouble: () => {
      const own = space()
      if (isLow())
        return `The disk is nearly full (${spaceWords(own!)}): shoppers’ events are not taken.`
      return isOut() ? 'The database’s disk is full: shoppers’ events are not taken.' : null
    },
    failed: error => {
      if (isDiskFull(error)) fullAt = now()
    },
  }
}

export function spaceOf(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Whether Postgres (53100), the system or SQLite reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    code === '53100' ||
    code === 'ENOSPC' ||
    /No space left on device|database or disk is full/.test(String(message))
  )
}

/**
 * The size of two files of the write-ahead log. With less free space, PGlite may exit during its
 * start without an error message.
 */
const startNeeds = 32 * 1024 * 1024

/**
 * Turns an error of opening the database in this folder into a plain message, when a full disk
 * caused it. Otherwise returns the error unchanged.
 */
export function startProblem(error: unknown, folder: string): unknown {
  let space: DiskSpace | null = null
  try {
    space = spaceOf(folder)
  } catch {
    /* the folder could not even be made */
  }
  if (!isDiskFull(error) && (space === null || space.free >= startNeeds)) return error
  return new Error(
    `The disk under the data folder ${folder} is full${space ? ` (${spaceWords(space)})` : ''}. Make room there, or move the folder to a larger disk, and start again. Nothing that was acknowledged is lost.`,
    { cause: error },
  )
}
