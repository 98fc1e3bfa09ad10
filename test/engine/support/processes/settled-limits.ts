import { setTimeout } from 'node:timers/promises'
import type { LimitStore } from '../../../../engine/http/limit-stores.ts'
import { type Limits, limitsIn } from '../../../../engine/http/shared-limits.ts'

/** Limits, and a wait for everything that they have told their store. */
export type SettledLimits = Limits & { settled: () => Promise<void> }

/** Limits in this store that a test can wait for, however slow the machine is. */
export function settledLimits(store: LimitStore): SettledLimits {
  const underWay = new Set<object>()
  const limits = limitsIn({
    ...store,
    add: (...told) => {
      const own = {}
      underWay.add(own)
      return store.add(...told).finally(() => underWay.delete(own))
    },
  })
  return {
    ...limits,
    settled: async () => {
      do await setTimeout(1)
      while (underWay.size > 0)
    },
  }
}

/**
 * Takes from the same key in each of these processes in turn. Returns how many were let through.
 */
export async function takeInTurn(
  processes: readonly SettledLimits[],
  { key, most, times }: { key: string; most: number; times: number },
): Promise<number> {
  const budgets = processes.map(limits => ({ limits, budget: limits.budget('test') }))
  let passed = 0
  for (let n = 0; n < times; n++)
    for (const { limits, budget } of budgets) {
      if (budget.take(key, 1, most) === 0) passed++
      await limits.settled()
    }
  return passed
}
