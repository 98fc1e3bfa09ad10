import type { HoldCauseName } from '../../domain/tests/hold-cause.ts'
import type { EngineContext } from '../context.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { heldFor, isHeldFor, resumeHeldFor } from './held-for.ts'

const limit: HoldCauseName = 'visitorLimit'

/** SQL condition on a test: it is on hold because the visitors had reached the plan's limit. */
export const waitsAtLimit = (test: string): string => isHeldFor(test, limit)

/** Queues a check of the limit at once, if a test of the store waits for it. */
export async function checkLimitSoon(
  { db: { kysely }, jobs }: Pick<EngineContext, 'db' | 'jobs'>,
  storeId: string,
): Promise<void> {
  if ((await heldFor({ db: { kysely } }, storeId, limit)).length > 0)
    await jobs.add(kysely, { storeId, kind: 'limitCheck', key: 'limitCheck' })
}

/** Resumes the tests that wait at the visitor limit, once there is room again. */
export const resumeAtLimit = (
  context: EngineContext,
  run: Pick<JobRun, 'storeId' | 'signal'>,
): Promise<void> => resumeHeldFor(context, run, limit)
