/** Lets calls begin in turn. Nothing is kept of a key that has no call under way and none that waits. */
export type FairTurns = {
  /**
   * Answers when the call may begin, with the function to call at its end. Rejects with the
   * signal's reason when that comes first, and with the queue's refusal where nobody more may wait.
   */
  take: (key: string, signal: AbortSignal) => Promise<() => void>
  /** How many keys something is kept of. */
  keys: () => number
}
/** How many calls may wait, and what the others are told. Keys share these as they share turns. */
type Queue = { places: number; refusal: () => Error }
type Lane = { underWay: number; waiting: Set<() => void> }

/**
 * At most `each` calls of a key are under way at once, and never more than there is still room for among all: `all` in
 * total. So keys whose calls do not end leave room for one that asks later, and as many keys as want room share it
 * evenly. The calls of a key begin in the order in which they were asked for.
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
