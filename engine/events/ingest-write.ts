import { insertEvents, insertedHere, keyOf } from './store/events.ts'
import type { RecordedVisitors } from './fold/periods.ts'
import { noneAside } from './fold/states.ts'
import type { Kysely } from 'kysely'
import { aggregate } from './aggregate.ts'
import type { AggregatedStore } from './aggregate.ts'
import { rows as query } from '../db/raw.ts'
import type { Schema } from '../db/schema.ts'
import { isOvertaken } from './event-days.ts'
import type { EventRow } from './fold/event-rows.ts'
import { noteNetworks } from './networks/network-visitors.ts'
import type { Trx } from '../db/types.ts'

/**
 * One writer at a time for a store's events and orders, whatever process it is in, until the transaction ends. Taken
 * in one order by all, so that no two can wait for each other; in a transaction, so that a pooler may stand between.
 */
export async function lockStores(trx: Trx, storeIds: string[]): Promise<void> {
  await query(
    trx,
    `select pg_advisory_xact_lock(hashtext('twinshelf events'), key) from unnest($1::int[]) key`,
    [[...new Set(storeIds.map(lockKey))].sort((a, b) => a - b)],
  )
}

/** The same for those of these stores that nobody else writes for just now; answers them, and waits for nobody. */
export async function lockFreeStores(trx: Trx, storeIds: string[]): Promise<string[]> {
  const taken = await query<{ key: number }>(
    trx,
    `select key from unnest($1::int[]) key where not pg_try_advisory_xact_lock(hashtext('twinshelf events'), key)`,
    [[...new Set(storeIds.map(lockKey))]],
  )
  const keys = new Set(taken.map(row => row.key))
  return storeIds.filter(id => !keys.has(lockKey(id)))
}

/** Runs a transaction that writes events; again when it failed only because a day got its partition meanwhile (event-days.ts). */
export async function writing<T>(on: Kysely<Schema>, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await on.transaction().execute(work)
    } catch (error) {
      if (tries === maxTries || !isOvertaken(error)) throw error
    }
  }
}

/** Today's and the coming days may be made one after another while a batch holds rows of each. */
const maxTries = 5

/** Stores the rows that are not there yet and brings the aggregates up to date with them. Answers as `aggregate` does. */
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

const lockKey = (storeId: string): number => parseInt(storeId.slice(0, 8), 16) | 0

function withoutRepeats(rows: EventRow[]): EventRow[] {
  const keys = new Set<string>()
  return rows.filter(row => keys.size < keys.add(keyOf(row.visit.storeId, row)).size)
}
