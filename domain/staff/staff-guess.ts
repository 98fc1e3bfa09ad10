/** What guesses are counted by. A device that has signed in fully before has counts of its own: nobody else's guesses slow it. */
export type GuessCount = 'account' | 'network' | 'device' | 'code'

/** Wrong tries in a row that cost nothing yet. A whole office may share a network. */
export const freeGuesses: Record<GuessCount, number> = {
  account: 5,
  network: 20,
  device: 10,
  code: 5,
}
const firstWait = 10,
  longestWait = 15 * 60
/** Seconds after the last try, after which none are remembered. */
export const guessesKept = 24 * 60 * 60

/** Seconds to wait after so many tries: none at first, then twice as long each time, a quarter of an hour at most. */
export function waitAfter(tries: number, free: number): number {
  return tries < free ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(tries - free, 20))
}

/** "10 seconds", "2 minutes": never less than there is to wait. */
export function waitWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds)),
    minutes = Math.ceil(whole / 60)
  return whole < 60
    ? `${whole} ${whole === 1 ? 'second' : 'seconds'}`
    : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}
