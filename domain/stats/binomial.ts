import { betaCdf } from './special.ts'

/**
 * Exact two-sided p of `hits` in `tries` of chance `chance`: twice the smaller tail, at most 1. Precise also where it is
 * tiny, since each tail is summed up by itself.
 */
export function binomialTest(hits: number, tries: number, chance: number): number {
  const rest = 1 - chance
  const atLeast = hits === 0 ? 1 : betaCdf(hits, tries - hits + 1, chance, rest),
    atMost = hits === tries ? 1 : betaCdf(tries - hits, hits + 1, rest, chance)
  return Math.min(1, 2 * Math.min(atLeast, atMost))
}
