import type { EngineContext } from './context.ts'
import { finishApplications } from './apply.ts'
import type { JobRun } from './jobs/jobs.ts'
import { checkTests } from './test-checks.ts'
import { endScheduled, startScheduled } from './test-schedule.ts'

/** What the system does with tests by itself. Each may be run again after a crash: what is done already is not done twice. */
export function testJobs(context: EngineContext): void {
  const { jobs } = context
  const testOf = ({ payload }: JobRun) => String(payload['testId'])
  jobs.on('scheduledStart', run => startScheduled(context, run.storeId, testOf(run)))
  jobs.on('scheduledEnd', run => endScheduled(context, run.storeId, testOf(run)))
  jobs.on('testCheck', async run => {
    await finishApplications(context, run.storeId)
    await checkTests(context, run)
  })
}
