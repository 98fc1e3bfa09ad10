import { setImmediate } from 'node:timers/promises'
import type { Beacon } from '../../domain/events/event.ts'
import type { Arrival } from './fold/event-rows.ts'

/** A valid beacon, who sent it and when it came (milliseconds). */
export type Delivery = { beacon: Beacon; arrival: Arrival }
export type Waiting = {
  delivery: Delivery
  resolve: () => void
  reject: (problem: Error) => void
  /** Its sender was told to come again: it is not written any more unless that has begun. */
  isGivenUp?: boolean
}

export type Lane = {
  add: (delivery: Waiting) => void
  waiting: () => number
  /** Settles once nothing waits any more. */
  done: () => Promise<void>
}

// As many events as a transaction still takes in some tens of milliseconds.
const batchEvents = 5_000

/** Deliveries that are written in batches, one after another. `write` never fails; `atEnd` is called whenever none is left. */
export function startLane(
  write: (batch: Waiting[]) => Promise<void>,
  atEnd: () => void = () => {},
): Lane {
  let waiting: Waiting[] = [],
    writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    // Let the requests that came in the same turn join.
    await setImmediate()
    while (waiting.length > 0) {
      const batch = takeBatch()
      if (batch.length > 0) await write(batch)
    }
    writing = null
    atEnd()
  }

  function takeBatch(): Waiting[] {
    let events = 0,
      count = 0
    while (count < waiting.length && events < batchEvents)
      events += waiting[count++]!.delivery.beacon.events.length
    return waiting.splice(0, count).filter(each => !each.isGivenUp)
  }

  return {
    add: delivery => {
      waiting.push(delivery)
      writing ??= writeAll()
    },
    waiting: () => waiting.length,
    done: async () => {
      await writing
    },
  }
}

/** Lets so many pieces of work be under way at once; the others begin in their order. */
export function turns(count: number): (work: () => Promise<void>) => Promise<void> {
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
