import { nextDay } from '../../domain/reports/daily.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import { day as dayLength, hour } from '../../domain/time-units.ts'
import { dayIn } from '../events/fold/visit-day.ts'

/** In milliseconds; `from` is included, `to` is not. `to` is Infinity while the span lasts. */
export type Span = { from: number; to: number }

/** The spans in which a test was Active, from its history, oldest first. */
export function activeSpans(history: readonly { status: TestStatus; at: number }[]): Span[] {
  const spans: Span[] = []
  for (const { status, at } of history) {
    const open = spans.at(-1)
    if (open?.to === Infinity) open.to = at
    if (status === 'Active') spans.push({ from: at, to: Infinity })
  }
  return spans
}

/**
 * The days between two instants, in the shop's time zone, on which the test was paused `wholly` or
 * `partly`.
 */
export function pausedDays(
  spans: readonly Span[],
  timeZone: string,
  from: number,
  to: number,
): Map<string, 'partly' | 'wholly'> {
  const running = new Set<string>(),
    still = new Set<string>()
  let last = from
  for (const span of spans) {
    eachDay(timeZone, last, Math.min(span.from, to), day => still.add(day))
    eachDay(timeZone, span.from, Math.min(span.to, to), day => running.add(day))
    last = span.to
  }
  eachDay(timeZone, last, to, day => still.add(day))
  return new Map([...still].map(day => [day, running.has(day) ? 'partly' : 'wholly']))
}

/** How long those spans lasted between two instants, in milliseconds. */
export const timeRun = (spans: readonly Span[], from: number, to: number): number =>
  spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.to, to) - Math.max(span.from, from)),
    0,
  )

/**
 * The last days, at most `most`, on which a test that began at `from` ran from midnight to
 * midnight; latest first.
 */
export function fullDays(
  spans: readonly Span[],
  timeZone: string,
  from: number,
  now: number,
  most: number,
): string[] {
  const still = pausedDays(spans, timeZone, from, now),
    first = nextDay(dayIn(timeZone, from))
  const days: string[] = []
  // We count back from noon (UTC) of today's date, so that neither the time zone nor a change of
  // clocks matters.
  for (
    let at = Date.parse(`${dayIn(timeZone, now)}T12:00:00Z`) - dayLength;
    days.length < most;
    at -= dayLength
  ) {
    const day = new Date(at).toISOString().slice(0, 10)
    if (day < first) break
    if (!still.has(day)) days.push(day)
  }
  return days
}

/** Calls `tell` with every day that the span touches. */
function eachDay(timeZone: string, from: number, to: number, tell: (day: string) => void): void {
  if (from >= to) return
  // A day has 23 hours at least.
  for (let at = from; at < to; at += 23 * hour) tell(dayIn(timeZone, at))
  tell(dayIn(timeZone, to - 1))
}
