import type { Readable } from 'node:stream'
import { HttpProblem } from '../../domain/problem.ts'
import { quotaWords, type Quotas } from '../../domain/quota.ts'
import { type Limits, ownLimits } from './shared-limits.ts'

/**
 * Limits the calls of each store to its quotas: those of a minute in all processes together, and
 * running work and exports in each process, which they would fill. Throws HttpProblem 429.
 */
export type StoreGate = {
  /**
   * Counts a new call. Returns 0, or the number of seconds after which the client may try again.
   */
  ask: (storeId: string) => number
  /** Counts running work. Call the returned function when the work is done. */
  enter: (storeId: string) => () => void
  /** Counts an export file until it is read to its end or its reader disconnects. */
  exporting: (storeId: string, file: Readable) => void
}

export function storeGate({
  requests,
  concurrent,
  exports,
  limits = ownLimits,
}: Pick<Quotas, 'requests' | 'concurrent' | 'exports'> & { limits?: Limits }): StoreGate {
  const asked = limits.budget('calls'),
    underWay = counters(),
    files = counters()
  return {
    ask: storeId => asked.take(storeId, 1, requests),
    enter: storeId => {
      if (!underWay.take(storeId, concurrent)) throw new HttpProblem(429, quotaWords.concurrent)
      let isDone = false
      return () => {
        if (!isDone) underWay.giveBack(storeId)
        isDone = true
      }
    },
    exporting: (storeId, file) => {
      if (!files.take(storeId, exports)) {
        file.destroy()
        throw new HttpProblem(429, quotaWords.exports)
      }
      file.once('close', () => files.giveBack(storeId))
    },
  }
}

function counters() {
  const counts = new Map<string, number>()
  return {
    take: (key: string, most: number): boolean => {
      const count = counts.get(key) ?? 0
      if (count >= most) return false
      counts.set(key, count + 1)
      return true
    },
    giveBack: (key: string): void => {
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
}
