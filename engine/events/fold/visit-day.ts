import { dateFormat } from '../../../domain/intl/formats.ts'
import { minute } from '../../../domain/time-units.ts'

// Since 1972 every time zone's offset is a whole number of quarter hours, so one result holds for a
// quarter of an hour.
const quarter = 15 * minute
const known = new Map<string, Map<number, string>>()
const knownLimit = 20_000

/** Calendar day (YYYY-MM-DD) of an instant in milliseconds, in a shop's time zone. */
export function dayIn(timeZone: string, at: number): string {
  let days = known.get(timeZone)
  if (!days) known.set(timeZone, (days = new Map()))
  const key = Math.floor(at / quarter)
  let day = days.get(key)
  if (day === undefined) {
    if (days.size >= knownLimit) days.clear()
    days.set(key, (day = formatIn(timeZone).format(key * quarter)))
  }
  return day
}

/** The Swedish short date has the form YYYY-MM-DD. */
const formatIn = (timeZone: string): Intl.DateTimeFormat =>
  dateFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
