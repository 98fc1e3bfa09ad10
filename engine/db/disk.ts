import { statfsSync } from 'node:fs'
import { type DiskSpace, isNearlyFull, spaceWords } from '../../domain/disk-space.ts'

/** The disk under the database, which raw events must not fill: they are held back first, and everything else continues. */
export type Disk = {
  /** Null where it is another machine's. */
  space: () => DiskSpace | null
  /** Shoppers' events are not taken: little is free, or the database has just found nothing free. */
  isHeldBack: () => boolean
  /** Why, in words; null while they are taken. */
  trouble: () => string | null
  /** To be told why something could not be stored. */
  failed: (error: unknown) => void
}

export type DiskOptions = {
  /** Where the database lies, when it is on this machine. */
  folder: string | null
  /** Percent of the disk. */
  reserve: number
  /** For tests. */
  read?: (folder: string) => DiskSpace
  now?: () => number
}

/** How long a look at the disk holds, and what the database said of it. Milliseconds. */
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

/** Told by Postgres (53100), by the system, or by SQLite. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    code === '53100' ||
    code === 'ENOSPC' ||
    /No space left on device|database or disk is full/.test(String(message))
  )
}

/** Two files of the write-ahead log: with less, PGlite may end while it starts, without a word why. */
const startNeeds = 32 * 1024 * 1024

/** An error of opening the database in this folder, in words when it comes of a full disk. */
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
