/**
 * Waits between attempts, in milliseconds (requirements 26.2). The usual ones begin at 500 ms and
 * grow by a factor of 1.3 to at most 2000 ms, with jitter.
 */
export type Backoff = { firstWait: number; longestWait: number }
export const usualBackoff: Backoff = { firstWait: 500, longestWait: 2000 }
const growth = 1.3

/**
 * The wait in milliseconds after attempt number `attempt` (1 for the first) has failed. `chance`, a
 * random number from 0 to 1, shortens it by up to half, so that clients that failed at the same
 * time do not retry at the same time.
 */
export const waitAfter = (
  attempt: number,
  chance: number,
  { firstWait, longestWait }: Backoff = usualBackoff,
): number => Math.min(firstWait * growth ** (attempt - 1), longestWait) * (1 - chance / 2)
