import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type LockOwner = { pid: number; startedAt: string; host: string }

/** Another process uses the data folder. The message says which one. */
export class LockHeld extends Error {
  readonly owner: LockOwner | null
  constructor(dataDir: string, owner: LockOwner | null) {
    super(
      owner
        ? `The data folder ${dataDir} is in use by process ${owner.pid} on ${owner.host}, running since ${owner.startedAt}. Stop it first, or choose another DATA_DIR.`
        : `The data folder ${dataDir} is in use by another process. Stop it first, or choose another DATA_DIR.`,
    )
    this.owner = owner
  }
}

// Keeps a reference to each lock file. Without one, the garbage collector would close the file and
// release the lock.
const held = new Set<DatabaseSync>()

/**
 * Locks the data folder for this process. Throws `LockHeld` when another process has it. The lock
 * is the operating system's lock on a file that SQLite opens for us, because Node has no call for
 * it. The kernel releases it when its owner dies, so there are no stale locks, and a reused pid
 * does no harm. The JSON file beside it only says who holds the lock.
 */
export function takeLock(dataDir: string): { release: () => void } {
  const file = new DatabaseSync(join(dataDir, 'engine.lock'))
  const note = join(dataDir, 'engine.lock.json')
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === 5) throw new LockHeld(dataDir, readOwner(note))
    throw error
  }
  held.add(file)
  const owner: LockOwner = {
    pid: process.pid,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    host: hostname(),
  }
  writeFileSync(note, JSON.stringify(owner))
  return {
    release: () => {
      if (!held.delete(file)) return
      rmSync(note, { force: true })
      file.close()
    },
  }
}

function readOwner(note: string): LockOwner | null {
  try {
    return JSON.parse(readFileSync(note, 'utf8')) as LockOwner
  } catch {
    return null
  }
}
