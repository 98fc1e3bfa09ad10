import { fnv1a32 } from '../../domain/tests/assignment.ts'

/** Random choices that are the same for the same seed. */
export type Chance = {
  /** In [0, 1). */
  next: () => number
  between: (low: number, high: number) => number
  happens: (probability: number) => boolean
  pick: <T>(from: readonly T[]) => T
  /** Picks by weight; the weights need not sum to 1. */
  weighted: <T>(from: readonly (readonly [weight: number, value: T])[]) => T
  /** 100 random bits, in characters that every id may have. */
  id: () => string
}

export function chanceOf(seed: string): Chance {
  let state = fnv1a32(seed)
  // mulberry32, by Tommy Ettinger (public domain).
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    happens: probability => next() < probability,
    pick: from => from[Math.floor(next() * from.length)]!,
    weighted: from => {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      return (from.find(([weight]) => (left -= weight) < 0) ?? from.at(-1)!)[1]
    },
    id: () => Array.from({ length: 20 }, () => Math.floor(next() * 32).toString(32)).join(''),
  }
}
