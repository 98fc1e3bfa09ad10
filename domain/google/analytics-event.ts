import { type ArmIndex, arms } from '../arm.ts'
import { day, hour } from '../time-units.ts'

/** What the app tells its own analytics (requirements 5.17). */
export const analyticsEvents = [
  'Page Viewed',
  'GA Connect Started',
  'Test Creation Started',
  'Test Viewed',
] as const

/** Google's name for "was shown an arm of a third party's experiment", and what one request of its Measurement Protocol may hold. */
export const impressionEvent = 'experience_impression'
export const impressionLimits = { events: 25, behind: 72 * hour } as const

export type Impression = {
  name: typeof impressionEvent
  params: { exp_variant_string: string; test_id: string; arm: string }
  timestamp_micros: number
}

/** `at` in milliseconds. The variant string is Google's form: whose tool, which experience, which variant. */
export const impression = (testId: string, arm: ArmIndex, at: number): Impression => ({
  name: impressionEvent,
  params: {
    exp_variant_string: `twinshelf-${testId}-${arms[arm]}`,
    test_id: testId,
    arm: arms[arm],
  },
  timestamp_micros: Math.round(at * 1000),
})

/** No exposure that Google still takes is of an earlier day, in any time zone and by a clock that is off by a day (YYYY-MM-DD). */
export const firstDaySent = (now: Date): string =>
  new Date(now.getTime() - impressionLimits.behind - 2 * day).toISOString().slice(0, 10)
