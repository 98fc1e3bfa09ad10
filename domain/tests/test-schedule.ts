import type { FieldProblem } from '../problem.ts'
import type { TestStatus } from './test-status.ts'
import { day } from '../time-units.ts'

/** Minimum length of a test, in milliseconds. */
export const shortestTest = day

export type Schedule = { launchAt: Date | null; automaticallyEndAt: Date | null }

/**
 * The problems of a draft's schedule, at their fields: start and end must be in the future, and the
 * end at least a day after the start.
 */
export function draftScheduleProblems(
  { launchAt, automaticallyEndAt }: Schedule,
  now: Date,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (launchAt && launchAt <= now)
    problems.push({ field: 'launchAt', message: 'The start must be in the future.' })
  const start = launchAt && launchAt > now ? launchAt : now
  if (automaticallyEndAt && automaticallyEndAt <= now)
    problems.push({ field: 'automaticallyEndAt', message: 'The end must be in the future.' })
  else if (automaticallyEndAt && automaticallyEndAt.getTime() - start.getTime() < shortestTest)
    problems.push({ field: 'automaticallyEndAt', message: 'A test runs for at least a day.' })
  return problems
}

/** The same for a launched test. After the start, only the end can be changed. */
export function testScheduleProblems(
  status: TestStatus,
  { launchAt, automaticallyEndAt }: Schedule,
  before: Schedule,
  now: Date,
): FieldProblem[] {
  if (status === 'Scheduled') {
    if (!launchAt)
      return [
        {
          field: 'launchAt',
          message: 'A scheduled test needs a start. If you do not want to run it, end it.',
        },
      ]
    return draftScheduleProblems({ launchAt, automaticallyEndAt }, now)
  }
  if (launchAt?.getTime() !== before.launchAt?.getTime())
    return [{ field: 'launchAt', message: 'The test has started, so you cannot change its start.' }]
  return automaticallyEndAt && automaticallyEndAt <= now
    ? [{ field: 'automaticallyEndAt', message: 'The end must be in the future.' }]
    : []
}
