import { day, minute as minuteLength } from '../time-units.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the shop's clock shows at an instant, as a datetime-local field takes it: "2026-11-25T09:00". */
export function shopTime(instant: Date | string, timeZone: string): string {
  let format = formats.get(timeZone)
  // The Swedish form is the ISO one.
  if (!format)
    formats.set(
      timeZone,
      (format = new Intl.DateTimeFormat('sv-SE', {
        timeZone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      })),
    )
  return format.format(new Date(instant)).replace(' ', 'T')
}

/**
 * The instant at which the shop's clock shows this; null for what is no time. An hour that comes twice, in autumn, is
 * the first one; one that does not come, in spring, is as long after the change as it says.
 */
export function instantOf(text: string, timeZone: string): Date | null {
  const written = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:00(\.0+)?)?$/.exec(text.trim())?.[1]
  const asUtc = written === undefined ? NaN : Date.parse(`${written}Z`)
  // "30 February" and "24:00" read as other days than they say.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 16) !== written) return null
  const offsetAt = (instant: number) =>
    Date.parse(`${shopTime(new Date(instant), timeZone)}Z`) -
    Math.floor(instant / minuteLength) * minuteLength
  // A zone changes at most once within two days, so the offset is that of the day before or of the day after.
  const before = asUtc - offsetAt(asUtc - day),
    after = asUtc - offsetAt(asUtc + day)
  const fitting = [before, after].filter(
    instant => shopTime(new Date(instant), timeZone) === written,
  )
  return new Date(fitting.length > 0 ? Math.min(...fitting) : before)
}
