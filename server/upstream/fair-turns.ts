/** Lets calls begin in turn. A key without calls under way or waiting takes no memory. */
export type FairTurns = {
  /**
   * Resolves when the call may begin, with the function to call at its end. Rejects with the
   * signal's reason when the signal aborts first.
   */
  take: (key: string, signal: AbortSignal) => Promise<() => void>
  /** How many keys have calls under way or waiting. */
  keys: () => number
}
type Lane = { underWay: number; waiting: Set<() => void> }

/**
 * At most `all` calls are under way in total, and at most `each` of one key. A key begins a call
 * only while it has fewer under way than there are free places for all. So keys whose calls do not
 * end leave room for a key that asks later, and keys that want room share it evenly. The calls of
 * one key begin in the order in which they were requested.
 */
export function fairTurns({ all, each }: { all: number; each: number }): FairTurns {
  const lanes = new Map<string, Lane>()
  let underWay = 0

  const hasRoom = (lane: Lane) => lane.underWay < Math.min(each, all - underWay)

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
      else
        await new Promise<void>((resolve, reject) => {
          const start = () => {
            signal.removeEventListener('abort', leave)
            resolve()
          }
          const leave = () => {
            own.waiting.delete(start)
            forgetIdle(key, own)
            reject(signal.reason as Error)
          }
          own.waiting.add(start)
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
