import { type ArmIndex, arms } from '../arm.ts'
import { day, hour } from '../time-units.ts'

/** The events that the app sends to its own analytics (requirements 5.17). */
export const analyticsEvents = [
  'Page Viewed',
  'GA Connect Started',
  'Test Creation Started',
  'Test Viewed',
] as const

/**
 * Google's event name for "the visitor saw an arm of another company's experiment", and the limits
 * of one request of its Measurement Protocol: number of events, and their greatest age in
 * milliseconds.
 */
export const impressionEvent = 'experience_impression'
export const impressionLimits = { events: 25, behind: 72 * hour } as const

export type Impression = {
  name: typeof impressionEvent
  params: { exp_variant_string: string; test_id: string; arm: string }
  timestamp_micros: number
}

/**
 * Makes the event of one exposure. `at` in milliseconds. Google prescribes the form of the variant
 * string: tool, experience, variant.
 */
export const impression = (testId: string, arm: ArmIndex, at: number): Impression => ({
  name: impressionEvent,
  params: {
    exp_variant_string: `twinshelf-${testId}-${arms[arm]}`,
    test_id: testId,
    arm: arms[arm],
  },
  timestamp_micros: Math.round(at * 1000),
})

/**
 * The first day (YYYY-MM-DD) of which Google may still accept exposures. The two extra days allow
 * for time zones and for a clock that is wrong by a day.
 */
export const firstDaySent = (now: Date): string =>
  new Date(now.getTime() - impressionLimits.behind - 2 * day).toISOString().slice(0, 10)
