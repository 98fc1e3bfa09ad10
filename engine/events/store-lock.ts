import { setTimeout } from 'node:timers/promises'
import { fairTurns } from '../../domain/fair-turns.ts'
import type { Db } from '../db/connection.ts'
import { isBusy, StoreBusy } from '../db/busy.ts'
import { rows as query } from '../db/raw.ts'
import type { Trx } from '../db/types.ts'

type Database = Pick<Db, 'kysely'>

/**
 * Locks these stores until the transaction ends: only one transaction at a time, in any process,
 * may write a store's events and orders. All callers take the locks in the same order, which
 * prevents deadlocks. The locks belong to the transaction, not to the session, so a connection
 * pooler may be used.
 * It waits without limit and holds its connection meanwhile: a rebuild locks its store for minutes.
 * Use `withStoreLock` wherever anyone can call.
 */
export async function lockStores(trx: Trx, storeIds: string[]): Promise<void> {
  await query(trx, `select pg_advisory_xact_lock(${lockSpace}, key) from unnest($1::int[]) key`, [
    [...new Set(storeIds.map(lockKey))].sort((a, b) => a - b),
  ])
}

/**
 * Locks those of these stores that nobody else has locked, without waiting. Returns the ids of the
 * stores that it locked.
 */
export async function lockFreeStores(trx: Trx, storeIds: string[]): Promise<string[]> {
  const taken = await query<{ key: number }>(
    trx,
    `select key from unnest($1::int[]) key where not ${tryLock}`,
    [[...new Set(storeIds.map(lockKey))]],
  )
  const keys = new Set(taken.map(row => row.key))
  return storeIds.filter(id => !keys.has(lockKey(id)))
}

/** SQL: what distinguishes the locks of stores from other advisory locks. */
const lockSpace = `hashtext('twinshelf events')`
/** SQL: locks the store with the key `key`, without waiting; false if another has it locked. */
export const tryLock = `pg_try_advisory_xact_lock(${lockSpace}, key)`
/** The key of a store's lock. */
export const lockKey = (storeId: string): number => parseInt(storeId.slice(0, 8), 16) | 0

/** How long a connection waits for a lock, in milliseconds. */
const longestWait = 2_000
/** How long work that may wait for minutes pauses before it asks again, without a connection. */
const pause = 1_000
/**
 * Connections of this process that wait for locked stores at once, and other callers that wait for
 * one of these places. With the collector's own (ingest.ts `waitingTurns`) they stay well below the
 * pool, so other stores always get connections.
 */
const places = { connections: 3, ofStore: 2, callers: 200 }

const turns = fairTurns({
  all: places.connections,
  each: places.ofStore,
  queue: { places: places.callers, refusal: () => new StoreBusy() },
})
/** By store: aborted once one of those who wait for it has waited in vain. */
const waitingFor = new Map<string, { gaveUp: AbortController; count: number }>()

/**
 * Runs a transaction that holds the store's lock (`lockStores`). If another transaction has the
 * lock, it waits two seconds at most. It joins the database's queue for the lock only in a turn
 * (`places`); until then it holds no connection. Once anyone has waited in vain for a store, all
 * who wait for that store in this process are refused with it: further waiting would not help them.
 * Throws `StoreBusy`; the caller may try again.
 */
export async function withStoreLock<T>(
  { kysely }: Database,
  storeId: string,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  const free = await kysely
    .transaction()
    .execute(async trx =>
      (await lockFreeStores(trx, [storeId])).length > 0 ? { done: await work(trx) } : null,
    )
  if (free) return free.done
  const end = await takeTurn(storeId)
  try {
    return await kysely.transaction().execute(async trx => {
      await waitBriefly(trx)
      await lockStores(trx, [storeId])
      end()
      return work(trx)
    })
  } catch (error) {
    throw isBusy(error) ? giveUp(storeId, error) : error
  } finally {
    end()
  }
}

/**
 * The same for work that may wait for minutes, such as a job. While it waits it gives its
 * connection back again and again. Rejects when the signal aborts meanwhile.
 */
export async function withStoreLockAtLast<T>(
  db: Database,
  storeId: string,
  work: (trx: Trx) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (;;)
    try {
      return await withStoreLock(db, storeId, work)
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
      signal?.throwIfAborted()
      await setTimeout(pause, undefined, { ...(signal && { signal }) })
    }
}

/** Statements of this transaction wait at most two seconds for a lock, of a store or of a row. */
export async function waitBriefly(trx: Trx): Promise<void> {
  await query(trx, `select set_config('lock_timeout', $1, true)`, [String(longestWait)])
}

async function takeTurn(storeId: string): Promise<() => void> {
  const own = waitingFor.get(storeId) ?? { gaveUp: new AbortController(), count: 0 }
  waitingFor.set(storeId, own)
  own.count++
  try {
    return await turns.take(storeId, own.gaveUp.signal)
  } finally {
    if (--own.count === 0 && waitingFor.get(storeId) === own) waitingFor.delete(storeId)
  }
}

function giveUp(storeId: string, cause: unknown): StoreBusy {
  const busy = new StoreBusy({ cause })
  waitingFor.get(storeId)?.gaveUp.abort(busy)
  waitingFor.delete(storeId)
  return busy
}
