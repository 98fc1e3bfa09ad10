import type { PlatformRate } from '../../rate.ts'

/** What an answer says about the shop's bucket of points. */
export type ThrottleStatus = {
  maximumAvailable: number
  currentlyAvailable: number
  restoreRate: number
}

/**
 * Until a shop has answered once: half of what the smallest plan allows, so that a first burst is
 * not refused.
 */
const unknown: ThrottleStatus = {
  maximumAvailable: 1_000,
  currentlyAvailable: 1_000,
  restoreRate: 50,
}

/**
 * Points of one call of the adapter, about what Shopify charges for its answers. Shopify takes what
 * an operation may cost at most, and gives back what it did not cost. Calls that read pages of
 * lists make several operations.
 */
const costs: Record<string, number | ((args: readonly unknown[]) => number)> = {
  assignTemplates: ([, changes]) => 10 * countOf(changes),
  changedOrders: 500,
  createSubscription: 10,
  productsById: ([, ids]) => 5 + 10 * countOf(ids),
  resourcePage: 20,
  searchPages: 20,
  searchProducts: 30,
  setPriceRules: 60,
  setPrices: ([, , prices]) => 10 + countOf(prices) / 10,
  templateUses: 20,
  themeFiles: 20,
  publishScript: 30,
  urlRedirects: 20,
}
const usualCost = 10

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1)

/** What is known of the bucket of each shop. */
export function budgets() {
  const known = new Map<string, ThrottleStatus>()
  return {
    note: (shop: string, status: ThrottleStatus): void => void known.set(shop, status),
    /** For rates.ts, which shares the points among processes. */
    rate: (shop: string): PlatformRate => {
      const { maximumAvailable, restoreRate } = known.get(shop) ?? unknown
      return {
        perSecond: restoreRate,
        burst: maximumAvailable,
        cost: (call, args) => {
          const cost = costs[call] ?? usualCost
          return Math.min(typeof cost === 'number' ? cost : cost(args), maximumAvailable)
        },
      }
    },
  }
}
export type Budgets = ReturnType<typeof budgets>

/** Milliseconds until an operation of this cost is let through. */
export const waitFor = (
  cost: number,
  { currentlyAvailable, restoreRate, maximumAvailable }: ThrottleStatus,
): number =>
  Math.max(0, ((Math.min(cost, maximumAvailable) - currentlyAvailable) / Math.max(1, restoreRate)) * 1_000) // prettier-ignore

/**
 * Milliseconds before the next try: half a second, a third more each time, at most two seconds, and
 * up to a quarter more by chance, so that many callers do not come back together.
 */
export const backoff = (attempt: number): number =>
  Math.min(2_000, 500 * 1.3 ** attempt) * (1 + Math.random() / 4)
