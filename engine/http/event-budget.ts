import { minute } from '../../domain/time-units.ts'
import type { LimitStore } from './limit-stores.ts'

/**
 * Maximum number of remembered keys. When there are more, the one whose window began first is
 * dropped.
 */
const keysKept = 50_000
/**
 * A process tells the store what a key has used whenever that is this share of the limit. So keys
 * that use little cost the store nothing, and all processes together let pass this share of the
 * limit for each of them too much, at most.
 */
const toldShare = 1 / 20

export type EventBudget = {
  /**
   * Takes `weight` from a key's budget of `most` per window. Returns 0, or the number of seconds
   * after which to try again.
   */
  take: (key: string, weight: number, most: number) => number
}

/** What a key has used in its window, as far as this process knows; `untold` of it only here. */
type Used = { until: number; weight: number; untold: number; isTelling: boolean }

/**
 * Counts weights per window: in this process, and with a store in all processes that share it. It
 * never waits for the store, so that no beacon does: what other processes have counted is known a
 * moment later. `every`: the length of the window in milliseconds.
 */
export function eventBudget(store: LimitStore | null = null, every = minute): EventBudget {
  const used = new Map<string, Used>()

  function tell(key: string, own: Used): void {
    const sent = Math.round(own.untold)
    if (sent === 0) return
    own.isTelling = true
    own.untold -= sent
    store!
      .add(key, sent, every)
      .then(
        all => {
          if (!all) {
            own.untold += sent
            return
          }
          own.weight = all.used + own.untold
          own.until = performance.now() + all.endsIn
        },
        () => {
          own.untold += sent
        },
      )
      .finally(() => {
        own.isTelling = false
      })
  }

  return {
    take: (key, weight, most) => {
      const at = performance.now()
      let own = used.get(key)
      if (!own || at >= own.until) {
        used.delete(key)
        used.set(key, (own = { until: at + every, weight: 0, untold: 0, isTelling: false }))
        if (used.size > keysKept) used.delete(used.keys().next().value!)
      }
      // A weight above the whole budget must pass some time, so it passes at the start of a window.
      if (own.weight > 0 && own.weight + weight > most)
        return Math.max(1, Math.ceil((own.until - at) / 1000))
      own.weight += weight
      own.untold += weight
      if (store && !own.isTelling && own.untold >= most * toldShare) tell(key, own)
      return 0
    },
  }
}
