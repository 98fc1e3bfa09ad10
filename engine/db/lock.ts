import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type LockOwner = { pid: number; startedAt: string; host: string }

/** Another process has the data folder. The message says which. */
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

// A file that nothing refers to is closed by the garbage collector, and its lock is gone.
const held = new Set<DatabaseSync>()

/**
 * Takes the data folder for this process, or throws `LockHeld`. The lock itself is the operating system's, on a file
 * that SQLite opens for us (Node has no call for it): the kernel lets go of it at the moment its owner dies, so there
 * is no stale lock to judge, and a pid used again means nothing. The note beside it only says who holds it.
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
