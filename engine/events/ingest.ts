import { RecordedVisitors } from './fold/periods.ts'
import type { Beacon } from '../../domain/events/event.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import { eventDays, isOvertaken } from './event-days.ts'
import { type CollectingStore, type EventStores, stillRecent } from './event-stores.ts'
import { type Delivery, type Lane, startLane, turns, type Waiting } from './ingest-lane.ts'
import { eventRows, setAside } from './fold/event-rows.ts'
import type { EventRow } from './fold/event-rows.ts'
import { countRows, storeFree, writeRows, writing } from './ingest-write.ts'
import { isBusy } from '../db/busy.ts'
import { lockStores, waitBriefly } from './store-lock.ts'

export const notNow = (): HttpProblem =>
  new HttpProblem(503, 'Events cannot be stored just now. Send them again.')

export type Ingest = {
  /**
   * Settles once the beacon is committed. Throws HttpProblem: 503 if it could not be stored now,
   * 400 if the database will never accept it.
   */
  submit: (delivery: Delivery) => Promise<void>
  /** Writes what has been submitted and refuses new beacons. */
  close: () => Promise<void>
}

// Maximum number of waiting beacons, so that they do not fill the memory.
const waitingLimit = 5_000
/**
 * Maximum number of database connections that wait for busy stores at once. The rest of the pool
 * stays free for other work.
 */
const waitingTurns = 3
/**
 * Maximum number of waiting beacons of a busy store, and of all busy stores, once one of the
 * store's beacons has waited in vain.
 */
const stuckLimits = { ofStore: 20, all: 40 }

/** How long a store counts as stuck after the last beacon that waited in vain, in milliseconds. */
const stuckFor = 10_000

/**
 * The lane of a store that another transaction has locked. `held`: senders that wait for an answer.
 */
type BusyLane = Lane & { held: number }

/**
 * Collects the beacons that arrive while a transaction runs, and writes them in the next one
 * (adaptive micro-batches): under load many beacons share a commit, and a single beacon is written
 * at once. `longestTurn`:
 * milliseconds that a beacon waits for the lock of its store. Each waiting beacon keeps a
 * connection of the app open.
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
  const gathers = db.dialect === 'pglite' ? 'always' : 'afterAPause'
  const common = startLane(batch => settle(batch, false), undefined, undefined, gathers)
  // One lane per busy store. A store that another transaction has locked (a rebuild does so for
  // minutes) delays only its own beacons.
  const busy = new Map<string, BusyLane>()
  const inTurn = turns(waitingTurns)
  // By shop: until when it is stuck, because a beacon has waited in vain since the last one that
  // was written. The lane may end and begin again meanwhile.
  const stuckUntil = new Map<string, number>()
  const isStuck = (shop: string): boolean => {
    const until = stuckUntil.get(shop)
    if (until === undefined) return false
    if (performance.now() < until) return true
    stuckUntil.delete(shop)
    return false
  }
  const waitedInVain = (shop: string) => stuckUntil.set(shop, performance.now() + stuckFor)

  function waitForTurn({ delivery, resolve, reject }: Waiting): void {
    const { shop } = delivery.beacon
    let lane = busy.get(shop)
    if (!lane)
      busy.set(
        shop,
        (lane = Object.assign(
          startLane(
            batch => settle(batch, true),
            () => busy.delete(shop),
            inTurn,
            gathers,
          ),
          { held: 0 },
        )),
      )
    if (isStuck(shop) && (lane.held >= stuckLimits.ofStore || heldByStuck() >= stuckLimits.all))
      return reject(notNow())
    const own = lane
    own.held++
    let isHeld = true
    const end = () => {
      clearTimeout(timer)
      if (isHeld) own.held--
      isHeld = false
    }
    // The sender sends it again. If writing has begun, it is stored now and not a second time.
    const timer = setTimeout(() => {
      end()
      waitedInVain(shop)
      own.remove(waiting)
      reject(notNow())
    }, longestTurn)
    const waiting: Waiting = {
      delivery,
      resolve: () => {
        end()
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
    [...busy].reduce((sum, [shop, { held }]) => sum + (isStuck(shop) ? held : 0), 0)

  async function settle(batch: Waiting[], mayWait: boolean): Promise<void> {
    try {
      const left = await commit(
        batch.map(w => w.delivery),
        mayWait,
      )
      for (const each of batch) {
        const { shop } = each.delivery.beacon
        if (left.has(shop)) waitForTurn(each)
        else {
          stuckUntil.delete(shop)
          each.resolve()
        }
      }
    } catch (error) {
      // One beacon that the database refuses must not make the other beacons fail, so try each half
      // of the batch.
      if (batch.length > 1 && isRefusedData(error)) {
        const half = batch.length >> 1
        await settle(batch.slice(0, half), mayWait)
        await settle(batch.slice(half), mayWait)
        return
      }
      if (mayWait && isBusy(error))
        for (const { delivery } of batch) waitedInVain(delivery.beacon.shop)
      else onError(error)
      const problem = isRefusedData(error)
        ? new HttpProblem(400, 'These events could not be stored.')
        : notNow()
      for (const { reject } of batch) reject(problem)
    }
  }

  /**
   * Writes the deliveries in one transaction. Returns the shops whose deliveries were not written
   * because another transaction has locked their store; with `mayWait` it waits for the locks
   * instead, two seconds at most.
   */
  async function commit(deliveries: Delivery[], mayWait: boolean): Promise<Set<string>> {
    const began = performance.now()
    const found = new Map<string, CollectingStore>()
    const rows: EventRow[] = []
    const lacking = new Set<string>()
    for (const { beacon, arrival, made } of deliveries) {
      let store = await stores.byShop(beacon.shop)
      // In a shop that asks for consent, an older script without consent may still be running
      // somewhere.
      const isWanted = (one: CollectingStore) => !one.asksConsent || beacon.consent === true
      let own =
        store && isWanted(store)
          ? made?.store === store
            ? made.rows
            : eventRows(beacon, arrival, store)
          : []
      // The cached store may lack a test that was launched or resumed a moment ago. Read the store
      // again before setting events aside.
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
      const recent = () => stillRecent({ kysely: trx }, found)
      if (!mayWait) {
        const { own, added } = await storeFree(trx, rows, ids)
        if (added.length === 0) return { own, written: [] }
        const stores = await recent()
        return { own, written: await countRows(trx, added, id => stores.get(id)!, recorded, true) }
      }
      // Gives its turn back after two seconds, so that stores that are locked for minutes do not
      // hold up one that is locked for a moment.
      await waitBriefly(trx)
      await lockStores(trx, ids)
      const stores = await recent()
      return {
        own: new Set(ids),
        written: await writeRows(trx, rows, id => stores.get(id)!, recorded),
      }
    })
    recorded.add(written)
    return new Set(ids.filter(id => !own.has(id)).map(id => found.get(id)!.shop))
  }

  /**
   * Makes the rows as soon as the beacon arrives, mostly while the database writes another batch.
   * What fails here fails again, and is answered, when they are written.
   */
  async function make(delivery: Delivery): Promise<void> {
    try {
      const store = await stores.byShop(delivery.beacon.shop)
      if (store)
        delivery.made = { store, rows: eventRows(delivery.beacon, delivery.arrival, store) }
    } catch {
      /* see above */
    }
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
        void make(delivery)
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

/**
 * SQLSTATE classes 22 and 23, or a RangeError for an unknown time zone: the data itself is wrong,
 * and sending it again will not help.
 */
const isRefusedData = (error: unknown) =>
  error instanceof RangeError ||
  (!isOvertaken(error) && /^2[23]/.test(String((error as { code?: unknown }).code ?? '')))
