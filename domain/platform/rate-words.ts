import { formatCount } from '../figures.ts'

/** "2 calls a second", "1 call every 5 seconds". */
function pace(perSecond: number): string {
  if (perSecond >= 1) {
    const calls = Math.floor(perSecond)
    return calls === 1 ? '1 call a second' : `${formatCount(calls)} calls a second`
  }
  const seconds = Math.ceil(1 / perSecond)
  return `1 call every ${formatCount(seconds)} seconds`
}

/** What a job says while its shop's platform makes it wait. */
export const rateWords = (perSecond: number): string =>
  `The shop’s platform lets us do ${pace(perSecond)}; waiting.`

/** What a job says while its shop lets it read no more pages. */
export const pageWords =
  'Your shop lets a program read only so many of its pages a minute; waiting.'

/** The error of a person's call for which the shop would have to be read sooner. */
export const busyPages = (wait: number): string =>
  `Your shop lets a program read only so many of its pages a minute. ${againIn(wait)}`

/** The error of a call that would wait longer than the person who made it. */
export const busyShop = (perSecond: number, wait: number): string =>
  `The shop’s platform lets us do ${pace(perSecond)}, and more are waiting already. ${againIn(wait)}`

const againIn = (seconds: number): string =>
  `Try again in ${seconds === 1 ? 'a second' : `${formatCount(seconds)} seconds`}.`
