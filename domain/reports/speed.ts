import type { PerArm } from '../arm.ts'
import type { Vitals } from '../events/event.ts'

/**
 * Page speed as the browser measures it: largest contentful paint, cumulative layout shift,
 * interaction to next paint.
 * The bounds and the use of the 75th percentile of page views come from web.dev/articles/vitals.
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
/**
 * The measures. `good` and `poor` are in the units of `Vitals`: milliseconds, and thousandths of a
 * shift score.
 */
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
 * A measured value is stored as its place on a logarithmic scale, so that counts by place can be
 * added in any order. The scale has eight places for each doubling, so a place is 9% wide. Place 0
 * is the value zero.
 */
const perDoubling = 8,
  places = 200
export const speedPlace = (value: number): number =>
  value < 1 ? 0 : Math.min(places, 1 + Math.floor(Math.log2(value) * perDoubling))
/** The lower bound of a place, in the measure's own unit. */
const from = (place: number): number => (place === 0 ? 0 : 2 ** ((place - 1) / perDoubling))

/** Number of page views by place. */
export type SpeedCounts = Map<number, number>

/**
 * The value that `share` of the page views (three quarters) are below, interpolated within its
 * place; null without page views.
 */
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

/**
 * `pagesToCompare`: page views that each arm needs before the arms are compared. `clearlySlower`:
 * the factor from which an arm is called slower.
 */
const pagesToCompare = 200,
  clearlySlower = 1.1
/** Whether both arms have enough page views to be compared by a measure. */
export const canCompareSpeed = (arms: PerArm<{ pages: number; p75: number | null }>): boolean =>
  arms.every(({ pages, p75 }) => p75 !== null && pages >= pagesToCompare)

/**
 * The arm whose pages are clearly slower by this measure. Null when neither is, when there are too
 * few page views, or when both are much faster than the bound for good.
 */
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
 * What the measures say about both arms. `none`: nothing was measured. `oneArm`: only that arm has
 * figures. `tooFew`: too few page views. `fewBrowsers`: neither arm is slower, but an arm has fewer
 * measured page views than half of its visitors. Not every browser reports its speed, and those
 * that do not may be the slow ones. `alike`: the compared measures do not differ clearly.
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
/** The rating by the bounds of `speeds`. A value equal to a bound gets the better rating. */
export const rateSpeed = (metric: SpeedMetric, value: number): keyof typeof speedRatings =>
  value <= speeds[metric].good ? 'good' : value <= speeds[metric].poor ? 'middling' : 'poor'

/** "1.84 s", "0.06", "120 ms". */
export function formatSpeed(metric: SpeedMetric, value: number): string {
  if (speeds[metric].unit === 'score') return (value / 1000).toFixed(2)
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`
}

/** The measures in a page's vitals, with their values. */
export const measured = (vitals: Vitals): [SpeedMetric, number][] =>
  speedMetrics.flatMap(metric =>
    vitals[metric] === undefined ? [] : [[metric, vitals[metric]] as [SpeedMetric, number]],
  )
