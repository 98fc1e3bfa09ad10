import { setImmediate } from 'node:timers/promises'
import type { Beacon } from '../domain/event.ts'
import { HttpProblem } from '../domain/problem.ts'
import { RecordedVisitors } from './aggregates-store.ts'
import type { Db } from './db/connection.ts'
import { eventDays } from './event-days.ts'
import type { CollectingStore, EventStores } from './event-stores.ts'
import { eventRows, setAside } from './ingest-rows.ts'
import type { Arrival, EventRow } from './ingest-rows.ts'
import { lockStores, writeRows } from './ingest-write.ts'

export const notNow = (): HttpProblem => new HttpProblem(503, 'Events cannot be stored just now. Send them again.')

/** A valid beacon, who sent it and when it came (milliseconds). */
export type Delivery = { beacon: Beacon; arrival: Arrival }
export type Ingest = {
  /** Settles once the beacon is committed. Throws HttpProblem: 503 when it could not be stored now, 400 when the database will never take it. */
  submit: (delivery: Delivery) => Promise<void>
  /** Finishes what has been submitted; takes no more. */
  close: () => Promise<void>
}

type Waiting = { delivery: Delivery; resolve: () => void; reject: (problem: Error) => void }
// As many events as a transaction still takes in some tens of milliseconds, and as many beacons as memory bears.
const batchEvents = 5_000, waitingLimit = 5_000

/**
 * Gathers what arrives while the last transaction runs into the next one (adaptive micro-batches): under load many
 * beacons share a commit, and alone a beacon waits for nobody.
 */
export function startIngest({ db, stores, onError }: { db: Db; stores: EventStores; onError: (error: unknown) => void }): Ingest {
  let waiting: Waiting[] = []
  let writing: Promise<void> | null = null
  let isClosed = false
  const recorded = new RecordedVisitors()
  const days = eventDays(db, onError)

  async function writeAll(): Promise<void> {
    // Let the requests that came in the same turn join.
    await setImmediate()
    while (waiting.length > 0) await settle(takeBatch())
    writing = null
  }

  function takeBatch(): Waiting[] {
    let events = 0, count = 0
    while (count < waiting.length && events < batchEvents) events += waiting[count++]!.delivery.beacon.events.length
    return waiting.splice(0, count)
  }

  async function settle(batch: Waiting[]): Promise<void> {
    try {
      await commit(batch.map(w => w.delivery))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      // One beacon that the database refuses must not take the others with it.
      if (batch.length > 1 && isRefusedData(error)) {
        const half = batch.length >> 1
        await settle(batch.slice(0, half))
        await settle(batch.slice(half))
        return
      }
      onError(error)
      const problem = isRefusedData(error) ? new HttpProblem(400, 'These events could not be stored.') : notNow()
      for (const { reject } of batch) reject(problem)
    }
  }

  async function commit(deliveries: Delivery[]): Promise<void> {
    const began = performance.now()
    const found = new Map<string, CollectingStore>()
    const rows: EventRow[] = []
    const lacking = new Set<string>()
    for (const { beacon, arrival } of deliveries) {
      let store = await stores.byShop(beacon.shop)
      let own = store ? eventRows(beacon, arrival, store) : []
      // A test launched or resumed a moment ago may be missing in what is remembered; ask before setting anything aside.
      if (store && store.loadedAt < began && mayBeStale(beacon, own, store)) {
        store = await stores.fresh(beacon.shop, began)
        own = store ? eventRows(beacon, arrival, store) : []
      }
      if (store) found.set(store.id, store)
      for (const { day } of own) if (days.lacks(day, arrival.received)) lacking.add(day)
      rows.push(...own)
    }
    if (rows.length === 0) return
    await days.ensure(lacking)
    const written = await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, [...found.keys()])
      return writeRows(trx, rows, id => found.get(id)!, recorded)
    })
    recorded.add(written)
  }

  return {
    submit: delivery => new Promise((resolve, reject) => {
      if (isClosed || waiting.length >= waitingLimit) return reject(new HttpProblem(503, 'Too much is waiting. Send these events again.'))
      waiting.push({ delivery, resolve, reject })
      writing ??= writeAll()
    }),
    close: async () => {
      isClosed = true
      await writing
    },
  }
}

const mayBeStale = (beacon: Beacon, rows: EventRow[], store: CollectingStore) =>
  rows.some(row => row.setAside === setAside.unknownTest || row.setAside === setAside.notRunning || row.setAside === setAside.otherTest) || Object.keys(beacon.tests).some(id => !store.tests.has(id) && !store.applied?.has(id))

/** SQLSTATE classes 22 and 23, or a time zone that nobody knows: the data itself is at fault, and sending it again will not help. */
const isRefusedData = (error: unknown) => error instanceof RangeError || /^2[23]/.test(String((error as { code?: unknown }).code ?? ''))
