import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { minute as minuteLength } from '../../domain/time-units.ts'

/** As bytes: one character beyond Latin 1 makes a whole text take twice as many. */
type Drawn = { minute: number; html: Buffer }
let newest = 0
const drawn = keptWithin<Drawn>(32 * 1024 * 1024, ({ minute }) => minute < newest)
/** Markup is kept under its data's number, so that it keeps no data alive. */
const numbers = new WeakMap<object, number>()
let last = 0

/**
 * The markup of a view of this data, drawn again only when the data is another object (an answer that changed is, see
 * shared-answers.ts), when anything else it shows is another (`key`), or with the next minute: ages are told in days.
 * All browsers of a store share it, so `key` must tell everything that is not in the data.
 */
export function renderedOnce(data: object, now: Date, key: string, draw: () => string): string {
  return keep(data, Math.floor(now.getTime() / minuteLength), key, draw)
}

/** The same for what does not change with time. */
export const renderedForGood = (data: object, key: string, draw: () => string): string =>
  keep(data, Infinity, key, draw)

/** What all kept markup takes. */
export const drawnBytes = (): number => drawn.bytes()

function keep(data: object, minute: number, key: string, draw: () => string): string {
  let number = numbers.get(data)
  if (number === undefined) numbers.set(data, (number = ++last))
  const place = `${number} ${key}`,
    known = drawn.get(place)
  if (known?.minute === minute) return known.html.toString()
  if (minute !== Infinity) newest = minute
  const html = draw()
  const bytes = Buffer.from(html)
  drawn.set(place, { minute, html: bytes }, bytesOfText(place) + bytes.length)
  return html
}
