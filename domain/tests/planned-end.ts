import { day } from '../time-units.ts'

/**
 * The planned end of a test that has stood still since an instant, as it is once the test continues `now`: later by the
 * whole days it stood (docs/statistics.md, "Planned length"). One that had come before then has been.
 * `stillSince` is null while the test runs, and once it is over.
 */
export function movedEnd(endsAt: Date | null, stillSince: Date | null, now: Date): Date | null {
  if (!isEndMoving(endsAt, stillSince)) return endsAt
  return new Date(
    endsAt!.getTime() +
      Math.max(0, Math.floor((now.getTime() - stillSince!.getTime()) / day)) * day,
  )
}

/** Whether the planned end was still ahead when the test stopped: then it moves on with the days and does not come. */
export const isEndMoving = (endsAt: Date | null, stillSince: Date | null): boolean =>
  endsAt !== null && stillSince !== null && endsAt > stillSince

/** When a test that starts then and runs that long is decided. The same for a draft, at launch, in the report and in the list. */
export const plannedEnd = (startAt: Date, days: number): Date =>
  new Date(startAt.getTime() + days * day)

/** Whole days from the start to the planned end. */
export const plannedDays = (startAt: string, endsAt: string): number =>
  Math.round((Date.parse(endsAt) - Date.parse(startAt)) / day)
