import type { ChartSeries, ChartUnit } from './chart-scale.ts'

/** What a chart shows, as the page gives it to the island. */
export type ChartProps = {
  label: string
  unit: ChartUnit
  currency: string
  /** First day, YYYY-MM-DD, and how many there are up to the later of today and the planned end. */
  from: string
  days: number
  series: ChartSeries[]
  paused: ('no' | 'partly' | 'wholly')[]
  /** Planned end in days from the left edge; null once it lies in the past of an ended test. */
  plannedEnd: number | null
}

/** Of the plot, in pixels; the words of the planned end stand above it, the days below. */
export const top = 18,
  bottom = 200,
  height = bottom - top

/** The share of the plot that days to come need to have, so that words fit there on a narrow screen too. */
export const roomForWords = 0.4
