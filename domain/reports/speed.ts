import type { PerArm } from '../arm.ts'
import type { Vitals } from '../events/event.ts'

/**
 * Page speed as the browser measures it: largest contentful paint, cumulative layout shift, interaction to next paint
 * (web.dev/articles/vitals, which also sets the bounds and looks at the 75th percentile of page views).
 */
export const speedMetrics = ['lcp', 'cls', 'inp'] as const
export type SpeedMetric = (typeof speedMetrics)[number]
type Definition = {
  label: string
  short: string
  meaning: string
  unit: 'ms' | 'score'
  good: number
  poor: number
}
/** Bounds in the units of `Vitals`: milliseconds, and thousandths of a shift score. */
export const speeds: Record<SpeedMetric, Definition> = {
  lcp: {
    label: 'Largest contentful paint',
    short: 'LCP',
    meaning: 'When the largest picture or text of the page appeared',
    unit: 'ms',
    good: 2_500,
    poor: 4_000,
  },
  cls: {
    label: 'Layout shift',
    short: 'CLS',
    meaning: 'How much the page jumped while it loaded',
    unit: 'score',
    good: 100,
    poor: 250,
  },
  inp: {
    label: 'Interaction to next paint',
    short: 'INP',
    meaning: 'How long the page took to answer a click or a key',
    unit: 'ms',
    good: 200,
    poor: 500,
  },
}

/*
 * A page's figure is kept as the place of a logarithmic scale, so that counts by place add up in any order: eight to
 * each doubling, which tells values 9% apart. Place 0 is zero.
 */
const perDoubling = 8,
  places = 200
export const speedPlace = (value: number): number =>
  value < 1 ? 0 : Math.min(places, 1 + Math.floor(Math.log2(value) * perDoubling))
/** Bounds of a place, in the metric's own unit. */
const from = (place: number): number => (place === 0 ? 0 : 2 ** ((place - 1) / perDoubling))

/** Pages by place. */
export type SpeedCounts = Map<number, number>

/** What three quarters of the pages keep below, interpolated within its place; null with none. */
export function speedQuantile(counts: SpeedCounts, share = 0.75): number | null {
  const all = [...counts].filter(([, n]) => n > 0).sort(([a], [b]) => a - b)
  const total = all.reduce((sum, [, n]) => sum + n, 0)
  if (total === 0) return null
  let rest = share * total
  for (const [place, n] of all) {
    if (rest <= n)
      return place === 0 ? 0 : from(place) + (rest / n) * (from(place + 1) - from(place))
    rest -= n
  }
  return from(all.at(-1)![0] + 1)
}

/** Pages each arm needs before they are compared, and by how much one must be slower to be called so. */
const pagesToCompare = 200,
  clearlySlower = 1.1
/** Whether both arms have pages enough to be held against each other by a measure. */
export const canCompareSpeed = (arms: PerArm<{ pages: number; p75: number | null }>): boolean =>
  arms.every(({ pages, p75 }) => p75 !== null && pages >= pagesToCompare)

/** The arm whose pages are clearly slower by this measure; null when neither is, or little is known. A difference within what is good anyway is none. */
export function slowerArm(
  metric: SpeedMetric,
  arms: PerArm<{ pages: number; p75: number | null }>,
): 0 | 1 | null {
  const [a, b] = arms.map(arm => arm.p75) as PerArm<number | null>
  if (a === null || b === null || !canCompareSpeed(arms)) return null
  const slow = a > b ? 0 : 1,
    [most, least] = [Math.max(a, b), Math.min(a, b)]
  return most > speeds[metric].good / 4 && most > least * clearlySlower ? slow : null
}

type SpeedRows = readonly {
  metric: SpeedMetric
  arms: PerArm<{ pages: number; p75: number | null }>
}[]
/**
 * What can be said of both arms together. `oneArm`: only that arm has figures. `fewBrowsers`: nothing is slower where it
 * was measured, but fewer pages told than half of the visitors: not every browser tells its speed, and those that do not
 * may be the slow ones. `alike` names what was compared.
 */
export type SpeedFinding =
  | { kind: 'none' }
  | { kind: 'oneArm'; arm: 0 | 1 }
  | { kind: 'tooFew' }
  | { kind: 'fewBrowsers' }
  | { kind: 'slower'; found: { metric: SpeedMetric; arm: 0 | 1 }[] }
  | { kind: 'alike'; metrics: SpeedMetric[] }
const leastToldBy = 0.5
export function speedFinding(rows: SpeedRows, visitors: PerArm<number>): SpeedFinding {
  const told = ([0, 1] as const).map(arm =>
    Math.max(0, ...rows.map(({ arms }) => (arms[arm].p75 === null ? 0 : arms[arm].pages))),
  ) as unknown as PerArm<number>
  if (told[0] + told[1] === 0) return { kind: 'none' }
  if (told[0] === 0 || told[1] === 0) return { kind: 'oneArm', arm: told[0] > 0 ? 0 : 1 }
  const compared = rows.filter(({ arms }) => canCompareSpeed(arms))
  if (compared.length === 0) return { kind: 'tooFew' }
  const found = compared.flatMap(({ metric, arms }) => {
    const arm = slowerArm(metric, arms)
    return arm === null ? [] : [{ metric, arm }]
  })
  if (found.length > 0) return { kind: 'slower', found }
  if (told.some((pages, arm) => pages < visitors[arm]! * leastToldBy))
    return { kind: 'fewBrowsers' }
  return { kind: 'alike', metrics: compared.map(({ metric }) => metric) }
}

export const speedRatings = { good: 'Good', middling: 'Needs work', poor: 'Poor' } as const
/** By the bounds of `speeds`, which the value itself may just touch. */
export const rateSpeed = (metric: SpeedMetric, value: number): keyof typeof speedRatings =>
  value <= speeds[metric].good ? 'good' : value <= speeds[metric].poor ? 'middling' : 'poor'

/** "1.84 s", "0.06", "120 ms". */
export function formatSpeed(metric: SpeedMetric, value: number): string {
  if (speeds[metric].unit === 'score') return (value / 1000).toFixed(2)
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`
}

/** The measures that a page's vitals hold. */
export const measured = (vitals: Vitals): [SpeedMetric, number][] =>
  speedMetrics.flatMap(metric =>
    vitals[metric] === undefined ? [] : [[metric, vitals[metric]] as [SpeedMetric, number]],
  )
