import { dateFormat } from '../intl/formats.ts'
import { day, minute as minuteLength } from '../time-units.ts'

/**
 * The shop's local time at an instant, in the format of a datetime-local field: "2026-11-25T09:00".
 */
export function shopTime(instant: Date | string, timeZone: string): string {
  // The Swedish format is the ISO format.
  const format = dateFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return format.format(new Date(instant)).replace(' ', 'T')
}

/**
 * The instant of a local time in the shop's time zone; null when the text is not a valid time. When
 * the clock is set back and an hour comes twice, it is the first one. When the clock is set forward
 * and the hour does not exist, the time is moved later by the length of the gap.
 */
export function instantOf(text: string, timeZone: string): Date | null {
  const written = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:00(\.0+)?)?$/.exec(text.trim())?.[1]
  const asUtc = written === undefined ? NaN : Date.parse(`${written}Z`)
  // Date.parse would accept "30 February" and "24:00" as other days.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 16) !== written) return null
  const offsetAt = (instant: number) =>
    Date.parse(`${shopTime(new Date(instant), timeZone)}Z`) -
    Math.floor(instant / minuteLength) * minuteLength
  // A time zone changes at most once within two days, so the offset is that of a day before or of a
  // day after.
  const before = asUtc - offsetAt(asUtc - day),
    after = asUtc - offsetAt(asUtc + day)
  const fitting = [before, after].filter(
    instant => shopTime(new Date(instant), timeZone) === written,
  )
  return new Date(fitting.length > 0 ? Math.min(...fitting) : before)
}
