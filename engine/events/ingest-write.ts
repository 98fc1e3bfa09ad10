import { insertEvents, insertedHere, keyOf } from './store/events.ts'
import type { RecordedVisitors } from './fold/periods.ts'
import { noneAside } from './fold/states.ts'
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
 * A batch may hold rows of several days, and the partition of each may be made meanwhile, one after
 * another.
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
  const added = written === single.length ? single : await insertedHere(trx, single)
  return aggregate(
    trx,
    added,
    storeOf,
    recorded,
    added.length > 0 ? await noteNetworks(trx, added, storeOf, recorded) : noneAside,
  )
}

function withoutRepeats(rows: EventRow[]): EventRow[] {
  const keys = new Set<string>()
  return rows.filter(row => keys.size < keys.add(keyOf(row.visit.storeId, row)).size)
}
