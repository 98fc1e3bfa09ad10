import { metrics, type Metric } from './reports/metric.ts'
import type { DailyPoint } from './reports/summary.ts'

/** Days of a trend's figure, by how many there are in all: whole weeks. 0: so few that each speaks for itself. */
export const trendDays = (days: number): number => (days > 365 ? 28 : days > 120 ? 7 : 0)

/**
 * A daily series without the unrest of single days: at each day what the last `length` come to. Of a rate or an average
 * it is theirs taken together, of a plain count the mean of a day; days on which the test was wholly paused are passed
 * over. Null in the first week, and where there is nothing to divide by.
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
