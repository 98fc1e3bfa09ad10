import type { Test } from '../../domain/tests/ab-test.ts'
import { dateFormat } from '../../domain/intl/formats.ts'
import { metrics, type Metric } from '../../domain/reports/metric.ts'
import type { DailyPoint } from '../../domain/reports/summary.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { trendDays, trendOf } from '../../domain/trend.ts'
import { highest, ticks, type ChartSeries } from '../../islands/reports/chart-scale.ts'

/**
 * Share of the visitors of a usual (median) day. A day with fewer was cut short, and its rate is
 * mostly chance.
 */
const shortDay = 0.2

/** Six digits are enough to draw a figure. */
export const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(6))

/** The line of an arm and, where there are many days, its trend. */
export function lineOf(
  metric: Metric,
  daily: DailyPoint[],
  arm: 0 | 1,
): { values: (number | null)[]; trend?: (number | null)[] } {
  const values = drawn(metric, daily, arm).map(rounded)
  const length = trendDays(daily.length)
  return length > 0
    ? { values, trend: trendOf(metric, daily, arm, length).map(rounded) }
    : { values }
}

/**
 * The figures of the line. The rate of a day that was cut short, as the first and the last often
 * are, says nothing and would set the whole scale, so it is only in the table. A count of such a
 * day is shown. A day of pause has no figures: a few acts may have been recorded in the minutes
 * before every page knew about the pause.
 */
function drawn(metric: Metric, daily: DailyPoint[], arm: 0 | 1): (number | null)[] {
  const isShort = metrics[metric].per === null ? [] : shortDays(daily)
  return daily.map((point, i) =>
    point.paused === 'wholly' || isShort[i] ? null : point.arms[arm].value,
  )
}
function shortDays(daily: DailyPoint[]): boolean[] {
  const visitors = daily.map(({ arms }) => arms[0].visitors + arms[1].visitors)
  const some = visitors.filter(n => n > 0).toSorted((a, b) => a - b)
  const usual = some.at(Math.floor(some.length / 2)) ?? 0
  return visitors.map(n => n < shortDay * usual)
}

/** What the chart leaves out, in sentences. */
export function notes(metric: Metric, daily: DailyPoint[], lines: ChartSeries[]): string {
  const length = trendDays(daily.length)
  const hides =
    metrics[metric].per !== null &&
    shortDays(daily).some((isShort, i) => isShort && daily[i]!.arms.some(arm => arm.value !== null))
  const limit = ticks(metrics[metric].unit, highest(lines)).at(-1)!,
    cuts = lines.some(({ values }) => values.some(value => value !== null && value > limit))
  return [
    length > 0 ? `Bold lines cover ${length} days at a time, faint lines single days.` : '',
    cuts ? 'Days too high for the chart are only shown in the table.' : '',
    hides ? 'Days with very little traffic are only shown in the table.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

const utc = (day: string) => Date.parse(`${day}T00:00:00Z`)

/**
 * The days of the axis: those with figures and, until the test has ended, those up to its planned
 * end.
 */
export function calendar(
  { endsAt, endedAt }: Test,
  daily: DailyPoint[],
  timeZone: string,
): { from: string; days: number; plannedEnd: number | null } {
  const from = daily[0]!.day
  if (!endsAt) return { from, days: daily.length, plannedEnd: null }
  const planned = Math.round(
    (utc(dateFormat('en-CA', { timeZone }).format(new Date(endsAt))) - utc(from)) / dayLength,
  )
  const days = endedAt ? daily.length : Math.max(daily.length, planned)
  return { from, days, plannedEnd: planned > 0 && planned <= days ? planned : null }
}
