import type { Vitals } from '../domain/events/event.ts'

/** The fields of the four kinds of entry; each kind has some of them. */
type Entry = PerformanceEntry & {
  size?: number
  interactionId?: number
  value?: number
  hadRecentInput?: boolean
}
/**
 * A shift belongs to the same window when it comes less than `gap` after the shift before and less
 * than `span` after the window's first. Milliseconds.
 */
const gap = 1000,
  span = 5000

/**
 * Starts to measure this page with the browser's own observers. The function that it returns says
 * what they saw so far. The metrics are defined at web.dev/articles/lcp, /cls (the largest window
 * of shifts) and /inp (the slowest interaction, since few pages see fifty). After the first
 * interaction the browser reports no more largest paints.
 */
export function watchSpeed(): () => Vitals {
  const vitals: Vitals = {}
  let first: number, last: number, shifts: number
  const see = (entries: Entry[]): void =>
    entries.forEach(({ size, interactionId, value, hadRecentInput, startTime, duration }) => {
      if (size) vitals.lcp = (startTime + 0.5) | 0
      if (interactionId && !(vitals.inp! > duration)) vitals.inp = (duration + 0.5) | 0
      if (value && !hadRecentInput) {
        if (!(gap > startTime - last && span > startTime - first)) {
          first = startTime
          shifts = 0
        }
        last = startTime
        shifts += value * 1000
        if (shifts > vitals.cls!) vitals.cls = (shifts + 0.5) | 0
      }
    })
  const observer = new PerformanceObserver(list => see(list.getEntries()))
  PerformanceObserver.supportedEntryTypes.forEach(type => {
    // The largest paint, layout shifts, events, and the first input, which the browser reports
    // however short it was.
    if (/^la|ev|fi/.test(type))
      observer.observe({ type, buffered: true, durationThreshold: 40 } as PerformanceObserverInit)
    // Where the browser reports shifts, a page without any has 0.
    if (/ift/.test(type)) vitals.cls = 0
  })
  return () => {
    see(observer.takeRecords())
    return vitals
  }
}
