/** How many points a second a plan restores, and how many it holds. */
export const planRates = { standard: 100, advanced: 200, plus: 1_000, enterprise: 2_000 } as const
/** Seconds of restoring that a full bucket holds. */
const depth = 20

export type ThrottleStatus = {
  maximumAvailable: number
  currentlyAvailable: number
  restoreRate: number
}
/** The leaky bucket of one app at one shop. */
export type Bucket = {
  /** Points a second in place of the plan's. For tests. */
  restoreRate: number | null
  /** Queries refused because the bucket did not hold enough. */
  throttled: number
  /** Takes points if the bucket holds them. */
  take: (points: number) => boolean
  /** Gives back what a query turned out not to cost. */
  give: (points: number) => void
  status: () => ThrottleStatus
}

/** `planRate`: points a second of the shop's plan. `now`: milliseconds. */
export function openBucket(
  planRate: () => number,
  now: () => number = () => performance.now(),
): Bucket {
  let level: number | null = null,
    at = now()
  const bucket: Bucket = {
    restoreRate: null,
    throttled: 0,
    take: points => {
      const available = refilled()
      if (available < points) {
        bucket.throttled++
        return false
      }
      level = available - points
      return true
    },
    give: points => {
      level = Math.min(maximum(), refilled() + points)
    },
    status: () => ({
      maximumAvailable: maximum(),
      currentlyAvailable: Math.floor(refilled()),
      restoreRate: rate(),
    }),
  }
  const rate = () => bucket.restoreRate ?? planRate()
  const maximum = () => rate() * depth
  const refilled = (): number => {
    const passed = (now() - at) / 1_000
    at = now()
    return (level = Math.min(maximum(), (level ?? maximum()) + passed * rate()))
  }
  return bucket
}
