import { bytesOfText, keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { minute as minuteLength } from '../../domain/time-units.ts'

/**
 * HTML is kept as bytes, because one character beyond Latin 1 doubles the memory that a string
 * takes.
 */
type Drawn = { minute: number; html: Buffer }
let newest = 0
const drawn = keptWithin<Drawn>(32 * 1024 * 1024, ({ minute }) => minute < newest)
/**
 * Gives each data object a number for the cache's keys, so that the cache keeps no data in memory.
 */
const numbers = new WeakMap<object, number>()
let last = 0

/**
 * The HTML of a view of this data, cached. It is rendered again when the data is another object (a
 * changed answer is, see shared-answers.ts), when `key` changes, and in the next minute, because
 * views show ages in days. All browsers of a store share it, so `key` must contain everything that
 * the view shows and that is not in the data.
 */
export function renderedOnce(data: object, now: Date, key: string, draw: () => string): string {
  return keep(data, Math.floor(now.getTime() / minuteLength), key, draw)
}

/** The same, for a view that does not change with time. */
export const renderedForGood = (data: object, key: string, draw: () => string): string =>
  keep(data, Infinity, key, draw)

/** Bytes that all cached HTML takes. */
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
