/** Lets calls begin in turn. A key without calls under way or waiting takes no memory. */
export type FairTurns = {
  /**
   * Resolves when the call may begin, with the function to call at its end. Rejects with the
   * signal's reason when the signal aborts first, and with the queue's refusal when the queue is
   * full.
   */
  take: (key: string, signal: AbortSignal) => Promise<() => void>
  /** How many keys have calls under way or waiting. */
  keys: () => number
}
/** How many calls may wait, and the error for further ones. Keys share the places evenly. */
type Queue = { places: number; refusal: () => Error }
type Lane = { underWay: number; waiting: Set<() => void> }

/**
 * At most `all` calls are under way in total, and at most `each` of one key. A key begins a call
 * only while it has fewer under way than there are free places for all. So keys whose calls do not
 * end leave room for a key that asks later, and keys that want room share it evenly. The calls of
 * one key begin in the order in which they were requested.
 */
export function fairTurns({
  all,
  each,
  queue,
}: {
  all: number
  each: number
  queue?: Queue
}): FairTurns {
  const lanes = new Map<string, Lane>()
  let underWay = 0,
    waiting = 0

  const hasRoom = (lane: Lane) => lane.underWay < Math.min(each, all - underWay)
  const mayWait = (lane: Lane) => !queue || lane.waiting.size < queue.places - waiting

  const begin = (key: string, lane: Lane) => {
    underWay++
    lane.underWay++
    // Among keys with equally few calls under way, the one that began last is served last.
    lanes.delete(key)
    lanes.set(key, lane)
  }
  const end = (key: string, lane: Lane) => {
    underWay--
    lane.underWay--
    forgetIdle(key, lane)
    for (let next = nextLane(); next; next = nextLane()) {
      const [name, served] = next
      const [start] = served.waiting
      served.waiting.delete(start!)
      waiting--
      begin(name, served)
      start!()
    }
  }
  /** Among the keys that wait and have room, the one with the fewest calls under way. */
  const nextLane = (): [string, Lane] | undefined => {
    let found: [string, Lane] | undefined
    for (const entry of lanes) {
      const [, lane] = entry
      if (lane.waiting.size === 0 || !hasRoom(lane)) continue
      if (!found || lane.underWay < found[1].underWay) found = entry
    }
    return found
  }
  const forgetIdle = (key: string, lane: Lane) => {
    if (lane.underWay === 0 && lane.waiting.size === 0) lanes.delete(key)
  }

  return {
    take: async (key, signal) => {
      signal.throwIfAborted()
      let lane = lanes.get(key)
      if (!lane) lanes.set(key, (lane = { underWay: 0, waiting: new Set() }))
      const own = lane
      if (own.waiting.size === 0 && hasRoom(own)) begin(key, own)
      else if (!mayWait(own)) {
        forgetIdle(key, own)
        throw queue!.refusal()
      } else
        await new Promise<void>((resolve, reject) => {
          const start = () => {
            signal.removeEventListener('abort', leave)
            resolve()
          }
          const leave = () => {
            own.waiting.delete(start)
            waiting--
            forgetIdle(key, own)
            reject(signal.reason as Error)
          }
          own.waiting.add(start)
          waiting++
          signal.addEventListener('abort', leave, { once: true })
        })
      let isDone = false
      return () => {
        if (!isDone) end(key, own)
        isDone = true
      }
    },
    keys: () => lanes.size,
  }
}
