/**
 * What wrong guesses are counted by. A device that has signed in fully before has its own count, so
 * other people's guesses do not slow it down.
 */
export type GuessCount = 'account' | 'network' | 'device' | 'code'

/**
 * Number of wrong guesses without a wait. It is higher for a network, because a whole office may
 * share one.
 */
export const freeGuesses: Record<GuessCount, number> = {
  account: 5,
  network: 20,
  device: 10,
  code: 5,
}
const firstWait = 10,
  longestWait = 15 * 60
/** Seconds after the last guess, after which all are forgotten. */
export const guessesKept = 24 * 60 * 60

/**
 * Seconds to wait after this number of guesses: none at first, then twice as long each time, at
 * most 15 minutes.
 */
export function waitAfter(tries: number, free: number): number {
  return tries < free ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(tries - free, 20))
}

/** "10 seconds", "2 minutes". Rounds up. */
export function waitWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds)),
    minutes = Math.ceil(whole / 60)
  return whole < 60
    ? `${whole} ${whole === 1 ? 'second' : 'seconds'}`
    : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}
