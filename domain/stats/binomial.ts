import { betaCdf } from './special.ts'

/**
 * The exact two-sided p-value of `hits` in `tries` with probability `chance`: twice the smaller
 * tail, at most 1. Tiny values are precise too, because each tail is computed directly and not as 1
 * minus the other.
 */
export function binomialTest(hits: number, tries: number, chance: number): number {
  const rest = 1 - chance
  const atLeast = hits === 0 ? 1 : betaCdf(hits, tries - hits + 1, chance, rest),
    atMost = hits === tries ? 1 : betaCdf(tries - hits, hits + 1, rest, chance)
  return Math.min(1, 2 * Math.min(atLeast, atMost))
}
