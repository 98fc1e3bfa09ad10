import * as Type from 'typebox'
import { nextDay } from '../reports/daily.ts'

/**
 * Visitors of both arms on each day, in the shop's time zone, beginning with `from`. Days without
 * visitors are 0.
 */
export const DailyVisitors = Type.Object({
  from: Type.String(),
  visitors: Type.Array(Type.Integer()),
})
export type DailyVisitors = Type.Static<typeof DailyVisitors>

/** Number of days that the list draws. */
export const dailyVisitorDays = 28

/**
 * The last `dailyVisitorDays` days of a test up to its last day with visitors, both arms together;
 * null before the first visitor.
 */
export function dailyVisitors(
  days: readonly { day: string; visitors: number }[],
): DailyVisitors | null {
  const byDay = new Map<string, number>()
  for (const { day, visitors } of days) byDay.set(day, (byDay.get(day) ?? 0) + visitors)
  const [first, last] = [[...byDay.keys()].sort()[0], [...byDay.keys()].sort().at(-1)]
  if (first === undefined || last === undefined) return null
  const visitors: number[] = []
  let from = first
  for (let day = first; day <= last; day = nextDay(day)) {
    visitors.push(byDay.get(day) ?? 0)
    if (visitors.length > dailyVisitorDays) {
      visitors.shift()
      from = nextDay(from)
    }
  }
  return { from, visitors }
}

/**
 * The full days up to the day before `until`, the latest last. A day that is not over is left out,
 * because it would look like a drop. Days without visitors after the last one are 0, because they
 * are a drop.
 */
export function fullDaysOf({ from, visitors }: DailyVisitors, until: string): number[] {
  const full: number[] = []
  for (let day = from, i = 0; day < until; day = nextDay(day), i++) full.push(visitors[i] ?? 0)
  return full.slice(-dailyVisitorDays)
}
