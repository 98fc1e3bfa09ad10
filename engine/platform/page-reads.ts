import { setTimeout as pause } from 'node:timers/promises'
import { busyPages, pageWords } from '../../domain/platform/rate-words.ts'
import { callTimeouts } from '../../domain/call-timeouts.ts'
import { ShopBusy } from '../../domain/problem.ts'
import { timeLeft } from '../http/vendor-calls.ts'
import type { PlatformAdapter } from './adapter.ts'
import { Throttled } from './rate.ts'
import { longestRefusal, refusedFor } from './rates.ts'
import { sayWait } from './saying-waits.ts'
import { pageCalls } from './shop-calls.ts'

/**
 * Makes reads of a shop's public pages wait while the shop refuses more of them: many shops let a
 * program read only so many pages a minute. A job waits, says so, and reads again. A person gets
 * the reason, unless the wait is short enough. The shop counts by our address, so each process
 * learns by itself until when it must wait; a refused read costs nothing. `waitsFor`: how long a
 * job's read is repeated, in milliseconds.
 */
export function pageReads(waitsFor = refusedFor): (adapter: PlatformAdapter) => PlatformAdapter {
  /** Shops that refuse us, and until when. By `performance.now()`. */
  const refusing = new Map<string, number>()
  const secondsOf = (shop: string): number =>
    ((refusing.get(shop) ?? 0) - performance.now()) / 1_000

  async function wait(shop: string): Promise<void> {
    const seconds = secondsOf(shop)
    if (seconds <= 0) {
      refusing.delete(shop)
      return
    }
    const left = timeLeft()
    if (left < Infinity && seconds * 1_000 > left - callTimeouts.silentVendor) throw busy(seconds)
    await sayWait(pageWords)
    await pause(seconds * 1_000)
  }

  async function limited<T>(shop: string, call: () => Promise<T>): Promise<T> {
    let refusedAt: number | null = null
    for (;;) {
      await wait(shop)
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof Throttled)) throw error
        const seconds = Math.min(error.retryAfter, longestRefusal)
        refusing.set(shop, performance.now() + seconds * 1_000)
        refusedAt ??= performance.now()
        if (performance.now() - refusedAt >= waitsFor) throw busy(seconds)
      }
    }
  }

  return adapter => {
    type AnyCall = (shop: string, ...rest: unknown[]) => Promise<unknown>
    const waiting =
      (call: AnyCall) =>
      (shop: string, ...rest: unknown[]) =>
        limited(shop, () => call(shop, ...rest))
    return {
      ...adapter,
      ...Object.fromEntries(pageCalls.map(name => [name, waiting(adapter[name] as AnyCall)])),
    }
  }
}

const busy = (seconds: number): ShopBusy => {
  const wait = Math.max(1, Math.ceil(seconds))
  return new ShopBusy(busyPages(wait), wait)
}
