import { formatCount, formatDay, formatRate } from '../../domain/figures.ts'
import { numberFormat } from '../../domain/intl/formats.ts'
import { formatMoney, minorDigits } from '../../domain/money.ts'
import { day as dayLength } from '../../domain/time-units.ts'

/**
 * One drawn line: a figure per day, null where there is none (a paused day, or before the data
 * gates open).
 */
export type ChartSeries = {
  label: string
  arm: 'control' | 'variant'
  values: (number | null)[]
  /**
   * The same figures, smoothed over several days. The single days are then drawn faintly behind it.
   */
  trend?: (number | null)[]
}
export type ChartUnit = 'chance' | 'rate' | 'money' | 'count'

/**
 * The highest figure that the scale must hold. Where there is a trend, people read the trend: one
 * day with a single large order would press it flat. So days above 1.5 times the trend are cut off
 * at the top.
 */
export function highest(series: readonly ChartSeries[]): number {
  const most = (figures: readonly (number | null)[]) =>
    figures.reduce<number>((max, figure) => Math.max(max, figure ?? 0), 0)
  const days = most(series.flatMap(s => s.values)),
    trends = most(series.flatMap(s => s.trend ?? []))
  return trends > 0 ? Math.min(days, trends * 1.5) : days
}

/**
 * Five round figures from 0 to at least `max`, at equal steps. Chances always run to 100%, counts
 * go in whole steps.
 */
export function ticks(unit: ChartUnit, max: number): number[] {
  if (unit === 'chance') return [0, 0.25, 0.5, 0.75, 1]
  const rough = Math.max(max, least[unit]) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10]
    .map(s => s * power)
    .find(s => s >= rough * 0.999999 && (unit !== 'count' || Number.isInteger(s)))!
  return [0, 1, 2, 3, 4].map(i => i * step)
}
const least = { rate: 0.004, money: 100, count: 4 }

/** A figure as the axis and the read-out print it. */
export function formatUnit(
  unit: ChartUnit,
  value: number,
  currency: string,
  onAxis: boolean,
): string {
  if (unit === 'money') return onAxis ? axisMoney(value, currency) : formatMoney(value, currency)
  // The mean of several days may be between two counts.
  if (unit === 'count')
    return onAxis ? short(value) : Number.isInteger(value) ? formatCount(value) : value.toFixed(1)
  if (!onAxis) return formatRate(value, unit === 'chance' ? 1 : 2)
  // As many decimals as the step needs: 2.5% must not read 3%.
  return `${Number((value * 100).toFixed(2))}%`
}

/** "$1,500", "$2.50", and from ten thousand on "$15K": an axis has little room. */
function axisMoney(value: number, currency: string): string {
  const one = 10 ** minorDigits(currency)
  if (value / one < shortFrom) return formatMoney(value, currency, value % one === 0)
  return numberFormat('en-US', {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 2,
    minimumFractionDigits: 0,
  }).format(value / one)
}
const short = (count: number): string =>
  count < shortFrom
    ? formatCount(count)
    : numberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 }).format(count)
const shortFrom = 10_000

const utc = (day: string): number => Date.parse(`${day}T00:00:00Z`)
/** The calendar day that is this many days after another, YYYY-MM-DD. */
export const dayAfter = (from: string, days: number): string =>
  new Date(utc(from) + days * dayLength).toISOString().slice(0, 10)

/** With more days than this, a day is shown with its year, and the axis names months. */
export const manyDays = 120
/**
 * The day numbers to label, and their labels: about five, evenly spaced, beginning with the first
 * day. With many days: the first days of months.
 */
export function labelled(from: string, days: number): { day: number; label: string }[] {
  if (days <= manyDays) {
    const step = Math.max(1, Math.ceil(days / 5))
    return Array.from({ length: Math.ceil(days / step) }, (_, i) => ({
      day: i * step,
      label: formatDay(dayAfter(from, i * step)),
    }))
  }
  const every = Math.ceil(days / 30.4 / 5),
    start = new Date(utc(from))
  const labels: { day: number; label: string }[] = []
  for (let month = start.getUTCDate() === 1 ? 0 : 1; ; month += every) {
    const first = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + month, 1),
      day = Math.round((first - start.getTime()) / dayLength)
    // A label at the very end would go over the edge.
    if (day > days * 0.95) return labels
    labels.push({ day, label: months.format(first) })
  }
}
const months = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  month: 'short',
  year: 'numeric',
})

/**
 * SVG path through the days that have a figure. A gap starts a new stroke, and a single day between
 * two gaps is a dot. `at` gives a point's place.
 */
export function linePath(
  values: (number | null)[],
  at: (day: number, value: number) => [number, number],
): string {
  let path = ''
  let open = false
  values.forEach((value, day) => {
    if (value === null) {
      open = false
      return
    }
    const [x, y] = at(day, value)
    path += `${open ? 'L' : 'M'}${round(x)} ${round(y)}${isAlone(values, day) ? 'h0' : ''}`
    open = true
  })
  return path
}

export const round = (n: number): number => Math.round(n * 100) / 100

/** A figure between two gaps: no line leads to it or away from it. */
export const isAlone = (values: (number | null)[], day: number): boolean =>
  (values[day] ?? null) !== null &&
  (values[day - 1] ?? null) === null &&
  (values[day + 1] ?? null) === null
