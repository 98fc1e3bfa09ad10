import { HttpProblem } from '../../domain/problem.ts'
import type { Schedule } from '../../domain/tests/test-schedule.ts'

type Scheduled = { launch_at: Date | null; automatically_end_at: Date | null }

/**
 * The stored schedule, with the given instants in place of the stored ones; a given null removes
 * one. Throws HttpProblem 400 for an invalid date.
 */
export function scheduleOf(
  given: { launchAt?: string | null; automaticallyEndAt?: string | null },
  { launch_at, automatically_end_at }: Scheduled,
): Schedule {
  const instant = (field: 'launchAt' | 'automaticallyEndAt', standing: Date | null) => {
    const text = given[field]
    if (text === undefined) return standing
    if (text === null) return null
    const at = new Date(text)
    if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9998)
      throw new HttpProblem(400, 'There is no such day.', [
        { field, message: 'There is no such day.' },
      ])
    return at
  }
  return {
    launchAt: instant('launchAt', launch_at),
    automaticallyEndAt: instant('automaticallyEndAt', automatically_end_at),
  }
}
