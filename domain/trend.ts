import { metrics, type Metric } from './reports/metric.ts'
import type { DailyPoint } from './reports/summary.ts'

/**
 * Number of days that each point of a trend covers, in whole weeks. `days`: the length of the
 * series. 0 when the series is so short that it needs no trend.
 */
export const trendDays = (days: number): number => (days > 365 ? 28 : days > 120 ? 7 : 0)

/**
 * Smooths a daily series. The value at each day is computed from the last `length` days: for a rate
 * or an average, from all of them together; for a plain count, the mean per day. Days on which the
 * test was wholly paused are skipped. Null in the first six days, on wholly paused days, and with
 * nothing to divide by.
 */
export function trendOf(
  metric: Metric,
  daily: readonly DailyPoint[],
  arm: 0 | 1,
  length: number,
): (number | null)[] {
  const isRatio = metrics[metric].per !== null
  return daily.map((day, i) => {
    if (i < 6 || day.paused === 'wholly') return null
    const last = daily
      .slice(Math.max(0, i + 1 - length), i + 1)
      .filter(point => point.paused !== 'wholly')
      .map(point => point.arms[arm])
    const count = last.reduce((sum, each) => sum + each.count, 0)
    const by = isRatio ? last.reduce((sum, each) => sum + (each.denominator ?? 0), 0) : last.length
    return by === 0 ? null : count / by
  })
}
