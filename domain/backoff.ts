/** Waits between attempts (requirements 26.2): they begin at 500 ms and grow 1.3 times to at most 2000 ms, with jitter. Milliseconds. */
export type Backoff = { firstWait: number; longestWait: number }
export const usualBackoff: Backoff = { firstWait: 500, longestWait: 2000 }
const growth = 1.3

/** The wait after the failure of attempt number `attempt` (1 for the first). `chance` from 0 to 1 takes up to half of it off, so that many who failed together do not come back together. */
export const waitAfter = (
  attempt: number,
  chance: number,
  { firstWait, longestWait }: Backoff = usualBackoff,
): number => Math.min(firstWait * growth ** (attempt - 1), longestWait) * (1 - chance / 2)
