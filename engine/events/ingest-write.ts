import { insertEvents, insertedHere, insertWhereFree } from './store/events.ts'
import { lockKey, tryLock } from './store-lock.ts'
import type { RecordedVisitors } from './fold/periods.ts'
import type { Kysely } from 'kysely'
import { aggregate } from './aggregate.ts'
import type { AggregatedStore } from './aggregate.ts'
import type { Schema } from '../db/schema.ts'
import { isOvertaken } from './event-days.ts'
import type { EventRow } from './fold/event-rows.ts'
import { noteNetworks } from './networks/network-visitors.ts'
import type { Trx } from '../db/types.ts'

/**
 * Runs a transaction that writes events. Repeats it if it failed only because a day got its
 * partition meanwhile (event-days.ts `isOvertaken`), at most `maxTries` times.
 */
export async function writing<T>(on: Kysely<Schema>, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await on.transaction().execute(work)
    } catch (error) {
      if (tries === maxTries || !isOvertaken(error)) throw error
    }
  }
}

/**
 * A batch may hold rows of several days, and the partition of each may be made meanwhile, one
 * after another.
 */
const maxTries = 5

/**
 * Stores the rows that are not stored yet and updates the aggregates with them. Returns what
 * `aggregate` returns.
 */
export async function writeRows(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<string[]> {
  const single = withoutRepeats(rows)
  const written = await insertEvents(trx, single)
  return countRows(trx, await newOf(trx, single, written), storeOf, recorded)
}

/**
 * Locks those of these stores that nobody else has locked, and stores their rows that are not
 * stored yet. Returns the ids of these stores, and the rows that were stored.
 */
export async function storeFree(
  trx: Trx,
  rows: EventRow[],
  storeIds: readonly string[],
): Promise<{ own: Set<string>; added: EventRow[] }> {
  const single = withoutRepeats(rows)
  const { own, written } = await insertWhereFree(
    trx,
    single,
    storeIds.map(storeId => ({ storeId, key: lockKey(storeId) })),
    tryLock,
  )
  const free =
    own.size === storeIds.length ? single : single.filter(row => own.has(row.visit.storeId))
  return { own, added: await newOf(trx, free, written) }
}

/**
 * Updates the aggregates with rows that were just stored. Returns what `aggregate` returns.
 * `isLast`: the transaction does nothing after this.
 */
export async function countRows(
  trx: Trx,
  added: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
  isLast = false,
): Promise<string[]> {
  if (added.length === 0) return []
  const known = await noteNetworks(trx, added, storeOf, recorded)
  return aggregate(trx, added, storeOf, { recorded, aside: known.aside, known, isLast })
}

const newOf = async (trx: Trx, rows: EventRow[], written: number): Promise<EventRow[]> =>
  written === rows.length ? rows : insertedHere(trx, rows)

/** The rows without those of a key that came before (store, day and id). */
function withoutRepeats(rows: EventRow[]): EventRow[] {
  const byDay = new Map<string, Set<string>>()
  let last: { storeId: string; day: string; ids: Set<string> } | undefined
  return rows.filter(({ visit: { storeId }, day, id }) => {
    if (last?.storeId !== storeId || last.day !== day) {
      const key = `${storeId} ${day}`,
        ids = byDay.get(key) ?? new Set<string>()
      byDay.set(key, ids)
      last = { storeId, day, ids }
    }
    return last.ids.size < last.ids.add(id).size
  })
}
