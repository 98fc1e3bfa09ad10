import type { Database } from '../database.ts'
import type { ShopCapabilities } from './capabilities.ts'

/** `after`: how many parts of a write are done. `times`: how many writes fail so. */
export type WriteFault = { after: number; times: number }
/**
 * Makes writes of several parts fail in the middle, as they do on platforms that have no
 * transactions. Only a shop whose writes need not be whole has such faults.
 */
export type WriteFaults = {
  /** The fault that waits for the next writes; null when none does. */
  current: () => WriteFault | null
  set: (fault: WriteFault | null) => void
  /** How many of the parts of the next write are done: all, or fewer if a fault concerns it. */
  passing: (parts: number) => number
}

export function openWriteFaults(db: Database, capabilities: ShopCapabilities): WriteFaults {
  db.exec(
    'create table if not exists write_faults (id integer primary key check (id = 1), after integer not null, times integer not null) strict',
  )
  const read = db.prepare('select after, times from write_faults')
  const insert = db.prepare('insert into write_faults (id, after, times) values (1, ?, ?)')
  const current = (): WriteFault | null => (read.get() as WriteFault | undefined) ?? null
  const set = (fault: WriteFault | null): void => {
    db.exec('delete from write_faults')
    if (fault && fault.times > 0) insert.run(fault.after, fault.times)
  }
  return {
    current,
    set,
    passing: parts => {
      const fault = capabilities.current().wholeWrites ? null : current()
      if (!fault || fault.after >= parts) return parts
      set({ ...fault, times: fault.times - 1 })
      return fault.after
    },
  }
}
