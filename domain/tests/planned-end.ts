import { day } from '../time-units.ts'

/**
 * The planned end of a paused test if the test continues `now`: later by the whole days of the
 * pause (docs/statistics.md, "Planned length"). A planned end that had passed before the pause does
 * not move. `stillSince`: when the pause began; null while the test runs and after it has ended.
 */
export function movedEnd(endsAt: Date | null, stillSince: Date | null, now: Date): Date | null {
  if (!isEndMoving(endsAt, stillSince)) return endsAt
  return new Date(
    endsAt!.getTime() +
      Math.max(0, Math.floor((now.getTime() - stillSince!.getTime()) / day)) * day,
  )
}

/**
 * Whether the planned end was still ahead when the test was paused. Then it moves with each day and
 * cannot be reached.
 */
export const isEndMoving = (endsAt: Date | null, stillSince: Date | null): boolean =>
  endsAt !== null && stillSince !== null && endsAt > stillSince

/**
 * The planned end of a test with this start and length. Drafts, launch, report and list all use it.
 */
export const plannedEnd = (startAt: Date, days: number): Date =>
  new Date(startAt.getTime() + days * day)

/** Whole days from the start to the planned end. */
export const plannedDays = (startAt: string, endsAt: string): number =>
  Math.round((Date.parse(endsAt) - Date.parse(startAt)) / day)
