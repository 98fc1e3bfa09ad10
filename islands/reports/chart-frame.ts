import type { ChartSeries, ChartUnit } from './chart-scale.ts'

/** What a chart shows, as the page gives it to the island. */
export type ChartProps = {
  label: string
  unit: ChartUnit
  currency: string
  /**
   * First day, YYYY-MM-DD, and the number of days up to today or the planned end, whichever is
   * later.
   */
  from: string
  days: number
  series: ChartSeries[]
  paused: ('no' | 'partly' | 'wholly')[]
  /** Planned end in days from the left edge; null once it lies in the past of an ended test. */
  plannedEnd: number | null
}

/**
 * Top, bottom and height of the plot, in pixels. The label of the planned end is above it, the days
 * are below.
 */
export const top = 18,
  bottom = 200,
  height = bottom - top

/**
 * The share of the plot that the days to come must have, so that texts fit there on a narrow screen
 * too.
 */
export const roomForWords = 0.4
