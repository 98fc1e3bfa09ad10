import { dateFormat } from '../intl/formats.ts'
import { hour, minute } from '../time-units.ts'

/** Every time zone's offset is a whole number of these. */
const quarter = 15 * minute
/** The night's work begins at this time of the shop's day, and is spread over some hours. */
const begins = hour,
  lasts = 4 * hour

/**
 * The next instant after `now` at which the nightly work of a store begins: the same time of its
 * night each day, and spread over the stores by their ids, which are random. Where a clock is put
 * forward over that time, the work begins with the hour that follows.
 */
export function nextNight(storeId: string, timeZone: string, now: Date): Date {
  const part = Number.parseInt(storeId.slice(0, 8), 16) % lasts
  const target = begins + Math.floor(part / quarter) * quarter,
    rest = part % quarter
  const timeOfDay = clockOf(timeZone)
  const isAfter = (at: number) => {
    const time = timeOfDay(at)
    return time >= target && time < begins + lasts + hour
  }
  for (let at = Math.floor(now.getTime() / quarter) * quarter - quarter; ; at += quarter)
    if (at + rest > now.getTime() && isAfter(at) && !isAfter(at - quarter))
      return new Date(at + rest)
}

/** Milliseconds since midnight on the zone's clock; of UTC's when nobody knows the zone. */
function clockOf(timeZone: string): (at: number) => number {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  let format: Intl.DateTimeFormat
  try {
    format = dateFormat('en-GB', { ...options, timeZone })
  } catch {
    format = dateFormat('en-GB', { ...options, timeZone: 'UTC' })
  }
  return at => {
    const [hours, minutes] = format.format(at).split(':').map(Number)
    return hours! * hour + minutes! * minute
  }
}
