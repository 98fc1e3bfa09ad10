/** What is asked, and by whom. */
export type Asked = 'script' | 'collector' | 'webhook' | 'page'
type Timing = { asked: Asked; at: number; took: number }

/**
 * How long requests took, in milliseconds, from the first attempt to the accepted one. `disturbed`
 * marks an instant at which a process was ended.
 */
export function timings() {
  const all: Timing[] = [],
    disturbances: number[] = []
  const between = (asked: Asked, from: number, to: number) =>
    all.filter(each => each.asked === asked && each.at >= from && each.at < to)
  return {
    add: (timing: Timing) => void all.push(timing),
    disturbed: (at: number) => void disturbances.push(at),
    /**
     * The 99th percentile between two instants, and without the requests that began around a
     * disturbance. NaN when there were none.
     */
    p99: (asked: Asked, from: number, to: number) => {
      const own = between(asked, from, to)
      const calm = own.filter(({ at }) =>
        disturbances.every(moment => at < moment - 1_000 || at > moment + afterwards),
      )
      return { count: own.length, all: percentile(own), calm: percentile(calm) }
    },
  }
}
export type Timings = ReturnType<typeof timings>

/** A process that was ended needs so long until it works again. Milliseconds. */
const afterwards = 15_000

function percentile(of: readonly Timing[], share = 0.99): number {
  const sorted = of.map(({ took }) => took).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
