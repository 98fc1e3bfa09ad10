import { minute } from '../../domain/time-units.ts'

/**
 * Maximum number of remembered keys. When there are more, the one whose minute began first is
 * dropped.
 */
const keysKept = 50_000

export type EventBudget = {
  /**
   * Takes `weight` from a key's budget of `most` per minute. Returns 0, or the number of seconds
   * after which to try again.
   */
  take: (key: string, weight: number, most: number) => number
}

/** Counts weights per minute in this process's memory, so each process has the full budget. */
export function eventBudget(): EventBudget {
  const used = new Map<string, { from: number; weight: number }>()
  return {
    take: (key, weight, most) => {
      const at = performance.now()
      let own = used.get(key)
      if (!own || at - own.from >= minute) {
        used.delete(key)
        used.set(key, (own = { from: at, weight: 0 }))
        if (used.size > keysKept) used.delete(used.keys().next().value!)
      }
      // A weight above the whole budget must pass some time, so it passes at the start of a minute.
      if (own.weight > 0 && own.weight + weight > most)
        return Math.ceil((own.from + minute - at) / 1000)
      own.weight += weight
      return 0
    },
  }
}
