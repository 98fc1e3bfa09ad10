import { RecordedVisitors } from './fold/periods.ts'
import type { Beacon } from '../../domain/events/event.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import { eventDays, isOvertaken } from './event-days.ts'
import { type CollectingStore, type EventStores, stillRecent } from './event-stores.ts'
import { type Delivery, type Lane, startLane, turns, type Waiting } from './ingest-lane.ts'
import { eventRows, setAside } from './fold/event-rows.ts'
import type { EventRow } from './fold/event-rows.ts'
import { lockFreeStores, lockStores, writeRows, writing } from './ingest-write.ts'

export const notNow = (): HttpProblem =>
  new HttpProblem(503, 'Events cannot be stored just now. Send them again.')

export type Ingest = {
  /** Settles once the beacon is committed. Throws HttpProblem: 503 when it could not be stored now, 400 when the database will never take it. */
  submit: (delivery: Delivery) => Promise<void>
  /** Finishes what has been submitted; takes no more. */
  close: () => Promise<void>
}

// As many beacons as memory bears.
const waitingLimit = 5_000
/** Connections that may wait for a busy store's turn at once; the others of the pool are for those who need not. */
const waitingTurns = 3
/** Beacons of a store, and of all such stores, that may wait once one of the store's did in vain. */
const stuckLimits = { ofStore: 20, all: 40 }

/**
 * Of a store that somebody else writes for. `held`: senders that wait for an answer. `isStuck`: one
 * of them has waited in vain since a beacon was written.
 */
type BusyLane = Lane & { held: number; isStuck: boolean }

/**
 * Gathers what arrives while the last transaction runs into the next one (adaptive micro-batches): under load many
 * beacons share a commit, and alone a beacon waits for nobody.
 * `longestTurn`: milliseconds that a beacon waits for its store's turn. Each takes up a connection of the app's.
 */
export function startIngest({
  db,
  stores,
  onError,
  longestTurn = 3_000,
}: {
  db: Db
  stores: EventStores
  onError: (error: unknown) => void
  longestTurn?: number
}): Ingest {
  let isClosed = false
  const recorded = new RecordedVisitors()
  const days = eventDays(db, onError)
  const common = startLane(batch => settle(batch, false))
  // A store that somebody else writes for (a rebuild, for minutes) keeps nobody waiting but itself.
  const busy = new Map<string, BusyLane>()
  const inTurn = turns(waitingTurns)

  function waitForTurn({ delivery, resolve, reject }: Waiting): void {
    const { shop } = delivery.beacon
    let lane = busy.get(shop)
    if (!lane)
      busy.set(
        shop,
        (lane = Object.assign(
          startLane(
            batch => inTurn(() => settle(batch, true)),
            () => busy.delete(shop),
          ),
          { held: 0, isStuck: false },
        )),
      )
    if (lane.isStuck && (lane.held >= stuckLimits.ofStore || heldByStuck() >= stuckLimits.all))
      return reject(notNow())
    const own = lane
    own.held++
    const timer = setTimeout(() => {
      own.isStuck = true
      own.held--
      waiting.isGivenUp = true
      reject(notNow())
    }, longestTurn)
    const end = () => {
      clearTimeout(timer)
      if (!waiting.isGivenUp) own.held--
    }
    const waiting: Waiting = {
      delivery,
      resolve: () => {
        end()
        own.isStuck = false
        resolve()
      },
      reject: problem => {
        end()
        reject(problem)
      },
    }
    own.add(waiting)
  }

  const heldByStuck = () =>
    [...busy.values()].reduce((sum, { isStuck, held }) => sum + (isStuck ? held : 0), 0)

  async function settle(batch: Waiting[], mayWait: boolean): Promise<void> {
    try {
      const left = await commit(
        batch.map(w => w.delivery),
        mayWait,
      )
      for (const each of batch) {
        if (left.has(each.delivery.beacon.shop)) waitForTurn(each)
        else each.resolve()
      }
    } catch (error) {
      // One beacon that the database refuses must not take the others with it.
      if (batch.length > 1 && isRefusedData(error)) {
        const half = batch.length >> 1
        await settle(batch.slice(0, half), mayWait)
        await settle(batch.slice(half), mayWait)
        return
      }
      onError(error)
      const problem = isRefusedData(error)
        ? new HttpProblem(400, 'These events could not be stored.')
        : notNow()
      for (const { reject } of batch) reject(problem)
    }
  }

  /** Answers the shops whose deliveries are not written, because it is not their store's turn and nobody may wait for it. */
  async function commit(deliveries: Delivery[], mayWait: boolean): Promise<Set<string>> {
    const began = performance.now()
    const found = new Map<string, CollectingStore>()
    const rows: EventRow[] = []
    const lacking = new Set<string>()
    for (const { beacon, arrival } of deliveries) {
      let store = await stores.byShop(beacon.shop)
      // Of such a shop a script from before may still run somewhere.
      const isWanted = (one: CollectingStore) => !one.asksConsent || beacon.consent === true
      let own = store && isWanted(store) ? eventRows(beacon, arrival, store) : []
      // A test launched or resumed a moment ago may be missing in what is remembered; ask before setting anything aside.
      if (store && store.loadedAt < began && mayBeStale(beacon, own, store)) {
        store = await stores.fresh(beacon.shop, began)
        own = store && isWanted(store) ? eventRows(beacon, arrival, store) : []
      }
      if (store) found.set(store.id, store)
      for (const { day } of own) if (days.lacks(day, arrival.received)) lacking.add(day)
      rows.push(...own)
    }
    if (rows.length === 0) return new Set()
    await days.ensure(lacking)
    const ids = [...found.keys()]
    const { own, written } = await writing(db.kysely, async trx => {
      if (mayWait) await lockStores(trx, ids)
      const own = new Set(mayWait ? ids : await lockFreeStores(trx, ids))
      const free = own.size === ids.length ? rows : rows.filter(row => own.has(row.visit.storeId))
      const recent = await stillRecent({ kysely: trx }, found)
      return {
        own,
        written: free.length > 0 ? await writeRows(trx, free, id => recent.get(id)!, recorded) : [],
      }
    })
    recorded.add(written)
    return new Set(ids.filter(id => !own.has(id)).map(id => found.get(id)!.shop))
  }

  return {
    submit: delivery =>
      new Promise((resolve, reject) => {
        const lane = busy.get(delivery.beacon.shop)
        const waiting = lane
          ? [...busy.values()].reduce((sum, each) => sum + each.waiting(), 0)
          : common.waiting()
        if (isClosed || waiting >= waitingLimit)
          return reject(new HttpProblem(503, 'Too much is waiting. Send these events again.'))
        if (lane) waitForTurn({ delivery, resolve, reject })
        else common.add({ delivery, resolve, reject })
      }),
    close: async () => {
      isClosed = true
      await common.done()
      await Promise.all([...busy.values()].map(lane => lane.done()))
    },
  }
}

const mayBeStale = (beacon: Beacon, rows: EventRow[], store: CollectingStore) =>
  rows.some(
    row =>
      row.setAside === setAside.unknownTest ||
      row.setAside === setAside.notRunning ||
      row.setAside === setAside.otherTest,
  ) || Object.keys(beacon.tests).some(id => !store.tests.has(id) && !store.applied?.has(id))

/** SQLSTATE classes 22 and 23, or a time zone that nobody knows: the data itself is at fault, and sending it again will not help. */
const isRefusedData = (error: unknown) =>
  error instanceof RangeError ||
  (!isOvertaken(error) && /^2[23]/.test(String((error as { code?: unknown }).code ?? '')))
