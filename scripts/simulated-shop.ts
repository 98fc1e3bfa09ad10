import type { ArmIndex, PerArm } from '../domain/arm.ts'
import { emptyTotals, type ArmTotals } from '../domain/reports/goal-result.ts'

/**
 * The sales of every simulated shop: visitors per day and arm, the share who buy, and the share of
 * buyers who buy twice. Order values (in cents) are log-normal, with a standard deviation equal to
 * their mean.
 */
export const shop = {
  perArmAndDay: 1000,
  buyers: 0.03,
  twice: 0.1,
  orderMean: 5000,
  orderSigma: Math.sqrt(Math.LN2),
  seed: 20261121,
} as const

/** A true relative difference of the variant: more buyers, or more expensive orders. */
export type Difference = { buyers?: number; orders?: number }
/** The visitors of one simulated test, one day at a time. `nextDay` returns the totals so far. */
export type Visitors = { nextDay: () => PerArm<ArmTotals> }

/** Simulates tests with this true difference. Every run gives the same tests. */
export function simulatedShop({ buyers = 0, orders = 0 }: Difference): {
  newTest: (withOrders: boolean) => Visitors
} {
  const uniform = random(shop.seed)
  const buyersOf = [
    binomial(shop.perArmAndDay, shop.buyers),
    binomial(shop.perArmAndDay, shop.buyers * (1 + buyers)),
  ] as const
  const meanLog = [1, 1 + orders].map(
    times => Math.log(shop.orderMean * times) - shop.orderSigma ** 2 / 2,
  ) as PerArm<number>
  const orderOf = (arm: ArmIndex) =>
    Math.round(
      Math.exp(
        meanLog[arm] +
          shop.orderSigma *
            Math.sqrt(-2 * Math.log(1 - uniform())) *
            Math.cos(2 * Math.PI * uniform()),
      ),
    )
  const newTest = (withOrders: boolean): Visitors => {
    const totals: PerArm<ArmTotals> = [{ ...emptyTotals }, { ...emptyTotals }],
      baskets = newBaskets()
    return {
      nextDay() {
        for (const arm of [0, 1] as const) {
          const count = buyersOf[arm](uniform())
          totals[arm].visitors += shop.perArmAndDay
          totals[arm].buyers += count
          if (withOrders)
            for (let i = 0; i < count; i++)
              baskets.add(arm, orderOf(arm), uniform() < shop.twice ? orderOf(arm) : 0)
        }
        return withOrders
          ? [
              { ...totals[0], ...baskets.sums(0) },
              { ...totals[1], ...baskets.sums(1) },
            ]
          : totals
      },
    }
  }
  return { newTest }
}

/**
 * Collects orders by buyer, and the sums that the inference needs. Once there are 100 orders, each
 * one is capped at the pooled 99th percentile (docs/statistics.md, "Order cap").
 */
function newBaskets() {
  // The most expensive orders, most expensive first: far more than one percent of the orders of any
  // test here.
  const dearest: number[] = [],
    kept = 100
  const buyers: PerArm<[first: number, second: number][]> = [[], []]
  let orders = 0
  const note = (value: number) => {
    orders++
    if (dearest.length === kept && value <= dearest.at(-1)!) return
    const place = dearest.findIndex(other => other < value)
    dearest.splice(place < 0 ? dearest.length : place, 0, value)
    if (dearest.length > kept) dearest.pop()
  }
  const cap = () => {
    if (orders < 100) return Infinity
    const fromTop = 0.01 * (orders - 1),
      above = Math.floor(fromTop),
      part = fromTop - above
    return dearest[above]! * (1 - part) + dearest[above + 1]! * part
  }
  return {
    add(arm: ArmIndex, first: number, second: number) {
      buyers[arm].push([first, second])
      note(first)
      if (second > 0) note(second)
    },
    sums(
      arm: ArmIndex,
    ): Pick<
      ArmTotals,
      | 'orders'
      | 'revenue'
      | 'cappedRevenue'
      | 'cappedRevenueSquares'
      | 'orderSquares'
      | 'cappedRevenueOrders'
    > {
      const most = cap(),
        sums = {
          orders: 0,
          revenue: 0,
          cappedRevenue: 0,
          cappedRevenueSquares: 0,
          orderSquares: 0,
          cappedRevenueOrders: 0,
        }
      for (const [first, second] of buyers[arm]) {
        const m = Math.min(first, most) + Math.min(second, most),
          d = second > 0 ? 2 : 1
        sums.orders += d
        sums.revenue += first + second
        sums.cappedRevenue += m
        sums.cappedRevenueSquares += m * m
        sums.orderSquares += d * d
        sums.cappedRevenueOrders += m * d
      }
      return sums
    },
  }
}

/** A small seeded random generator that is uniform enough for this (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Draws from the binomial distribution by inverting it exactly: maps a uniform number to a count.
 */
function binomial(n: number, p: number): (uniform: number) => number {
  const cumulated: number[] = []
  let mass = (1 - p) ** n,
    sum = 0
  for (let k = 0; k <= n && sum < 1 - 1e-15; k++) {
    cumulated.push((sum += mass))
    mass *= ((n - k) / (k + 1)) * (p / (1 - p))
  }
  return uniform => {
    const k = cumulated.findIndex(upTo => uniform < upTo)
    return k < 0 ? cumulated.length - 1 : k
  }
}
