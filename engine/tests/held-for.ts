import { sql, type SqlBool } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { HoldCause, HoldCauseName } from '../../domain/tests/hold-cause.ts'
import { canMove } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { resumeHeld } from './test-starts.ts'
import { changeStatus, heldTest, type TestRow } from './test-statuses.ts'

/** SQL condition on a test: it is on hold for this cause. */
export const isHeldFor = (test: string, cause: HoldCauseName): string =>
  `${test}.status = 'OnHold' and ${test}.hold_cause->>'cause' = '${cause}'`

/** The tests of a store that are on hold for a cause, in the order in which they were made. */
export const heldFor = (
  { db: { kysely } }: { db: Pick<EngineContext['db'], 'kysely'> },
  storeId: string,
  cause: HoldCauseName,
): Promise<TestRow[]> =>
  kysely
    .selectFrom('tests as t')
    .selectAll()
    .where('t.store_id', '=', storeId)
    .where(sql.raw<SqlBool>(isHeldFor('t', cause)))
    .orderBy('t.created_at')
    .orderBy('t.test_id')
    .execute()

/**
 * Resumes the tests that are on hold for a cause which goes away by itself. A test that something
 * else prevents from running stays on hold, now for that cause: the merchant must act. If the shop
 * does not answer for one test, the others still resume, and it is tried again within minutes.
 */
export async function resumeHeldFor(
  context: EngineContext,
  { storeId, signal }: Pick<JobRun, 'storeId' | 'signal'>,
  cause: HoldCauseName,
): Promise<void> {
  for (const test of await heldFor(context, storeId, cause)) {
    signal.throwIfAborted()
    if (!canMove('system', test.status, 'Active')) continue
    try {
      const outcome = await resumeHeld(context, test)
      if (outcome !== null && outcome !== 'resumed' && !isSame(outcome, test.hold_cause))
        await replaceCause(context, test, cause, outcome)
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      context.log.warn(
        { err: error, storeId, testId: test.test_id },
        `test on hold (${cause}) not resumed yet`,
      )
    }
  }
}

const isSame = (found: HoldCause, held: HoldCause | null): boolean =>
  found.cause === held?.cause && found.message === held.message

async function replaceCause(
  { db: { kysely }, clock }: EngineContext,
  { store_id, test_id }: TestRow,
  from: HoldCauseName,
  cause: HoldCause,
): Promise<void> {
  await kysely.transaction().execute(async trx => {
    const test = await heldTest(trx, store_id, test_id)
    if (test?.status === 'OnHold' && test.hold_cause?.cause === from)
      await changeStatus(trx, test, 'OnHold', clock(), cause)
  })
}
