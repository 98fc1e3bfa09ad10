import { formatMoney } from '../domain/money.ts'
import { formatRate } from '../domain/figures.ts'

/** One drawn line: a figure per day, null where there is none (a paused day, or before the data gates open). */
export type ChartSeries = { label: string; arm: 'control' | 'variant'; values: (number | null)[] }
export type ChartUnit = 'chance' | 'rate' | 'money'

/** Round figures from 0 to at least `max`, four steps apart; chances always run to 100%. */
export function ticks(unit: ChartUnit, max: number): number[] {
  if (unit === 'chance') return [0, 0.25, 0.5, 0.75, 1]
  const rough = Math.max(max, unit === 'rate' ? 0.004 : 100) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(s => s * power).find(s => s >= rough * 0.999999)!
  return [0, 1, 2, 3, 4].map(i => i * step)
}

/** A figure as the axis and the read-out print it. */
export function formatUnit(unit: ChartUnit, value: number, currency: string, onAxis: boolean): string {
  if (unit === 'money') return formatMoney(value, currency, onAxis && value % 100 === 0)
  if (!onAxis) return formatRate(value, unit === 'chance' ? 1 : 2)
  // As many decimals as the step needs: 2.5% must not read 3%.
  return `${Number((value * 100).toFixed(2))}%`
}

/** Day numbers to label: about five, evenly spaced, the first always among them. */
export function labelled(days: number): number[] {
  const step = Math.max(1, Math.ceil(days / 5))
  return Array.from({ length: Math.ceil(days / step) }, (_, i) => i * step)
}

/** SVG path through the days that have a figure; a gap starts a new stroke, and a day on its own is a dot. `at` gives a point's place. */
export function linePath(values: (number | null)[], at: (day: number, value: number) => [number, number]): string {
  let path = ''
  let open = false
  values.forEach((value, day) => {
    if (value === null) { open = false; return }
    const [x, y] = at(day, value)
    path += `${open ? 'L' : 'M'}${round(x)} ${round(y)}${isAlone(values, day) ? 'h0' : ''}`
    open = true
  })
  return path
}

export const round = (n: number): number => Math.round(n * 100) / 100

/** A figure between two gaps: no line leads to it or away from it. */
export const isAlone = (values: (number | null)[], day: number): boolean =>
  (values[day] ?? null) !== null && (values[day - 1] ?? null) === null && (values[day + 1] ?? null) === null
