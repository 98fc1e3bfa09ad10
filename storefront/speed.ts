import type { Vitals } from '../domain/events/event.ts'

/** What the four kinds of entry say, each of them some of it. */
type Entry = PerformanceEntry & {
  size?: number
  interactionId?: number
  value?: number
  hadRecentInput?: boolean
}
/** Shifts less than this after the one before, and after the first, are of one window. Milliseconds. */
const gap = 1000,
  span = 5000

/**
 * Begins to measure this page by the browser's own observers; what it answers with says what they saw
 * so far. As defined at web.dev/articles/lcp, /cls (the largest window of shifts) and /inp (the slowest interaction, since
 * few pages see fifty). What comes after the first interaction is no largest paint any more: the browser sees to that.
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
    // The largest paint, layout shifts, events, and the first input, which is told however short it was.
    if (/^la|ev|fi/.test(type))
      observer.observe({ type, buffered: true, durationThreshold: 40 } as PerformanceObserverInit)
    // A page that never shifted is known to be still, where shifts are seen at all.
    if (/ift/.test(type)) vitals.cls = 0
  })
  return () => {
    see(observer.takeRecords())
    return vitals
  }
}
