import { hour, second } from '../time-units.ts'

/**
 * How many discount codes a store may try (decision 064). Both budgets fill again all the time:
 * `burst` within a second a try, so that a merchant only ever waits for a moment; `lasting` slowly,
 * so that codes cannot be guessed.
 */
export type TryLimits = Record<(typeof names)[number], { most: number; every: number }>
const names = ['burst', 'lasting'] as const

/** `perHour`: tries an hour that a store has in the long run. */
export const tryLimits = (perHour: number): TryLimits => ({
  burst: { most: perHour, every: second },
  lasting: { most: perHour * 24, every: hour / perHour },
})
/**
 * How long one check waits for its turn, in milliseconds: long enough for one try of `burst`, short
 * enough that the call above does not time out (call-timeouts.ts).
 */
export const longestTurn = 1.2 * second

/** Maximum number of codes of a store that are remembered. */
const codesKept = 100

type Budget = { left: number; at: number }
/** What a store has tried. */
export type Tries = {
  burst: Budget
  lasting: Budget
  /** The codes that were tried last. They can be checked again without a try. */
  codes: Set<string>
}

export const noTries = ({ burst, lasting }: TryLimits, now: number): Tries => ({
  burst: { left: burst.most, at: now },
  lasting: { left: lasting.most, at: now },
  codes: new Set(),
})

/**
 * Counts a try of the code, unless it was counted before. Returns after how many milliseconds the
 * code may be checked: 0, or the time until the try is there. Null when that would take too long;
 * then nothing is counted.
 */
export function tryCode(tries: Tries, code: string, limits: TryLimits, now: number): number | null {
  if (tries.codes.has(code)) return 0
  let wait = 0
  for (const name of names) {
    const { most, every } = limits[name],
      budget = tries[name]
    budget.left = Math.min(most, budget.left + (now - budget.at) / every)
    budget.at = now
    wait = Math.max(wait, Math.ceil((1 - budget.left) * every))
  }
  if (wait > longestTurn) return null
  // Below zero for a try that is waited for, so that the next one must wait longer.
  for (const name of names) tries[name].left -= 1
  tries.codes.add(code)
  if (tries.codes.size > codesKept) tries.codes.delete(tries.codes.values().next().value!)
  return wait
}

/** Gives a try back, because its code was valid: only wrong codes count. */
export function giveBack(tries: Tries, limits: TryLimits): void {
  for (const name of names) tries[name].left = Math.min(limits[name].most, tries[name].left + 1)
}
