import { dateFormat } from './intl/formats.ts'
import { goals, type Goal } from './reports/goal.ts'
import { formatMoney } from './money.ts'
import { decisionRule } from './reports/verdict.ts'

/**
 * Formats figures for screens, in English. Rates, lifts and chances are fractions; money is in
 * minor units.
 */
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** "29,104" */
export const formatCount = (n: number): string => whole.format(n)

/** "4.18%". `digits`: decimal places. */
export const formatRate = (fraction: number, digits = 2): string =>
  `${(fraction * 100).toFixed(digits)}%`

/** "+12.8%", "−16.7%" (a true minus sign), "0.0%". */
export function formatLift(lift: number): string {
  const percent = (Math.abs(lift) * 100).toFixed(1)
  if (Number(percent) === 0) return '0.0%'
  return `${lift > 0 ? '+' : '−'}${percent}%`
}

/**
 * "58.2%". Instead of "100.0%" and "0.0%" it shows "> 99.9%" and "< 0.1%". A chance is never
 * rounded to or across a bound of the decision that it has not reached: 0.9496 is "94.96%", because
 * "95.0%" would look like a winner.
 */
export function formatChance(chance: number): string {
  if (chance > 0.999) return '> 99.9%'
  if (chance < 0.001) return '< 0.1%'
  const { winner, loser } = decisionRule
  for (let digits = 1; digits <= 4; digits++) {
    const text = (chance * 100).toFixed(digits),
      shown = Number(text) / 100
    if (shown >= winner === chance >= winner && shown <= loser === chance <= loser)
      return `${text}%`
  }
  return chance > 0.5 ? '< 95%' : '> 5%'
}

/** The value of a goal: "4.18%", "$63.18", or a dash for null. */
export function formatGoal(goal: Goal, value: number | null, currency: string): string {
  return formatFigure(goals[goal].money ? 'money' : 'rate', value, currency)
}

/** A figure of a metric, by the metric's unit (metric.ts): "1,204", "4.18%", "$63.18". */
export function formatFigure(
  unit: 'count' | 'rate' | 'money',
  value: number | null,
  currency: string,
): string {
  if (value === null) return '–'
  return unit === 'money'
    ? formatMoney(value, currency)
    : unit === 'rate'
      ? formatRate(value)
      : formatCount(value)
}

const format = (timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  dateFormat('en-GB', { timeZone, ...options })

/** "4 Nov 2026", or "4 Nov" without the year. `timeZone` is usually the shop's. */
export const formatDate = (instant: string | Date, timeZone: string, year = true): string =>
  format(timeZone, { day: 'numeric', month: 'short', ...(year ? { year: 'numeric' } : {}) }).format(
    new Date(instant),
  )

/** "4 Nov" in the present year, "4 Nov 2023" in another. */
export const formatNearDate = (instant: string | Date, timeZone: string, now: Date): string =>
  formatDate(instant, timeZone, yearOf(instant, timeZone) !== yearOf(now, timeZone))
const yearOf = (instant: string | Date, timeZone: string): string =>
  format(timeZone, { year: 'numeric' }).format(new Date(instant))

/** "4 Nov, 15:00". With `now`, an instant in another year gets the year: "4 Nov 2023, 15:00". */
export const formatMoment = (instant: string | Date, timeZone: string, now?: Date): string =>
  `${now ? formatNearDate(instant, timeZone, now) : formatDate(instant, timeZone, false)}, ${formatTime(instant, timeZone)}`

/** "15:00" */
export const formatTime = (instant: string | Date, timeZone: string): string =>
  format(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    new Date(instant),
  )

/** "4 Nov" from a calendar day, YYYY-MM-DD, in the present year; "4 Nov 2023" in another. */
export const formatNearDay = (day: string, now: Date): string =>
  formatNearDate(`${day}T00:00:00Z`, 'UTC', now)

/** "4 Nov" from a calendar day, YYYY-MM-DD, or "4 Nov 2026" with its year. */
export const formatDay = (day: string, year = false): string =>
  formatDate(`${day}T00:00:00Z`, 'UTC', year)
