import { setImmediate } from 'node:timers/promises'
import type { Beacon } from '../../domain/events/event.ts'
import type { Arrival, EventRow, EventStore } from './fold/event-rows.ts'

/**
 * A valid beacon, its sender and its arrival (milliseconds). `made`: its rows, made while another
 * batch was written, and what was known of the store then.
 */
export type Delivery = {
  beacon: Beacon
  arrival: Arrival
  made?: { store: EventStore; rows: EventRow[] }
}
export type Waiting = {
  delivery: Delivery
  resolve: () => void
  reject: (problem: Error) => void
}

export type Lane = {
  add: (delivery: Waiting) => void
  /**
   * Removes a delivery whose sender was told to send it again, unless writing it has begun. So
   * nothing of a refused delivery stays in memory.
   */
  remove: (delivery: Waiting) => void
  waiting: () => number
  /** Settles once no delivery is waiting. */
  done: () => Promise<void>
}

// Maximum number of events per transaction. Postgres writes that many in some tens of milliseconds.
const batchEvents = 5_000
/**
 * A batch begins once no delivery has joined it for so many turns of the event loop. Node accepts
 * one connection per turn and reads its request in the next, and PGlite writes on node's own
 * thread. Without these turns each new connection would get a transaction of its own there.
 */
const quietTurns = 4
/** How long a batch that keeps growing waits at most, in milliseconds. */
const longestGathering = 10

/**
 * A queue of deliveries that are written in batches, one batch after another. `write` must not
 * throw; `atEnd` is called each time the queue is empty. `inTurn`: runs each batch's work when it
 * may begin. A batch is taken only then, so that it has no delivery that was removed meanwhile.
 * `gathers`: before which batches the lane waits for deliveries that are on their way. Postgres
 * writes while this process reads requests, so there the next batch has gathered meanwhile.
 */
export function startLane(
  write: (batch: Waiting[]) => Promise<void>,
  atEnd: () => void = () => {},
  inTurn: Turns = work => work(),
  gathers: 'always' | 'afterAPause' = 'always',
): Lane {
  let waiting: Waiting[] = [],
    writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    let isFirst = true
    do {
      if (isFirst || gathers === 'always') await gather()
      isFirst = false
      await inTurn(async () => {
        if (waiting.length > 0) await write(takeBatch())
      })
    } while (waiting.length > 0)
    writing = null
    atEnd()
  }

  /** Waits until the requests that have reached this process have joined the batch. */
  async function gather(): Promise<void> {
    const began = performance.now()
    let quiet = 0
    while (quiet < quietTurns && performance.now() - began < longestGathering) {
      const before = waiting.length
      await setImmediate()
      quiet = waiting.length > before ? 0 : quiet + 1
    }
  }

  function takeBatch(): Waiting[] {
    let events = 0,
      count = 0
    while (count < waiting.length && events < batchEvents)
      events += waiting[count++]!.delivery.beacon.events.length
    return waiting.splice(0, count)
  }

  return {
    add: delivery => {
      waiting.push(delivery)
      writing ??= writeAll()
    },
    remove: delivery => {
      const at = waiting.indexOf(delivery)
      if (at >= 0) waiting.splice(at, 1)
    },
    waiting: () => waiting.length,
    done: async () => {
      await writing
    },
  }
}

type Turns = (work: () => Promise<void>) => Promise<void>

/** Runs at most `count` pieces of work at once. The others wait and begin in their order. */
export function turns(count: number): Turns {
  const queue: (() => void)[] = []
  let free = count
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
