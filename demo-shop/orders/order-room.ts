import { statfsSync } from 'node:fs'
import { isNearlyFull } from '../../domain/disk-space.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'

/** Percent of the disk that is kept free for what the app must still write. */
const reserve = 5

/**
 * Returns a function that throws HttpProblem 429 or 503 when no more orders are accepted now:
 * orders are kept for good, and anybody may place them. `ordersAMinute`: for all strangers
 * together, null for any number. For the shop itself (`isShop`) only the disk's room counts.
 */
export function orderRoom(
  folder: string,
  ordersAMinute: number | null,
  hasRoom: (folder: string) => boolean = hasDiskRoom,
): (isShop: boolean) => void {
  let placedAt: number[] = []
  return isShop => {
    if (!hasRoom(folder)) throw new HttpProblem(503, 'The shop takes no orders just now.')
    if (isShop || ordersAMinute === null) return
    const now = performance.now()
    placedAt = placedAt.filter(at => at > now - minute)
    if (placedAt.length >= ordersAMinute)
      throw new HttpProblem(429, 'The shop has taken many orders in this minute. Try again later.')
    placedAt.push(now)
  }
}

function hasDiskRoom(folder: string): boolean {
  const { bavail, bsize, blocks } = statfsSync(folder)
  return !isNearlyFull({ free: bavail * bsize, size: blocks * bsize }, reserve)
}
