import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import { finishApplications } from './apply.ts'
import type { EngineContext } from '../context.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { checkTests } from './check-tests.ts'
import { endScheduled, startLater, startScheduled } from './test-schedule.ts'

/** How long we wait before we ask an unreachable shop again, in milliseconds. */
const retryAfter = minute

/**
 * The jobs that start, end and check tests. Each may run again after a crash: what is done already
 * is not done twice.
 */
export function testJobs(context: EngineContext): void {
  const { db, clock, jobs, log } = context
  const testOf = ({ payload }: JobRun) => String(payload['testId'])

  /**
   * If the shop cannot be reached, we know nothing about its tests. So we ask again later, as often
   * as it takes.
   */
  async function orLater(
    kind: 'scheduledStart' | 'testCheck',
    { storeId }: JobRun,
    act: () => Promise<void>,
    again: (at: Date) => Promise<unknown>,
  ): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status < 500) throw error
      log.warn({ err: error, storeId, kind }, 'shop not reached')
      await again(new Date(clock().getTime() + retryAfter))
    }
  }

  jobs.on('scheduledStart', run =>
    orLater(
      'scheduledStart',
      run,
      () => startScheduled(context, run.storeId, testOf(run)),
      at => startLater(context, run.storeId, testOf(run), at),
    ),
  )
  jobs.on('scheduledEnd', run => endScheduled(context, run.storeId, testOf(run)))
  jobs.on('testCheck', run =>
    orLater(
      'testCheck',
      run,
      async () => {
        await finishApplications(context, run.storeId)
        await checkTests(context, run)
      },
      runAt => {
        const { storeId, payload } = run
        return jobs.add(db.kysely, { storeId, kind: 'testCheck', key: 'testCheck', payload, runAt })
      },
    ),
  )
}
