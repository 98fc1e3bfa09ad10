import { passingCauses } from '../../domain/tests/hold-cause.ts'
import { ShopBusy, VendorProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import { forgetPictures } from '../drafts/pictures/picture-shown.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { testsToUndo } from '../journal/journal-undo.ts'
import { switchTrouble } from '../script/script-switch.ts'
import { resumeHeldFor } from './held-for.ts'
import { refusedPlans } from './refused-plans.ts'
import { holdTests, storeOf, testTrouble } from './test-checks.ts'

/**
 * Checks a store's running tests and puts those on hold that cannot continue. Resumes those that
 * only waited for the merchant. Then undoes what
 * ended tests and deleted drafts have left in the shop. A test that cannot be checked does not keep
 * the others from it: its error is logged, and thrown at the end, so that the job runs again. Stops
 * early when the shop does not answer or the process is stopping, and runs again later.
 */
export async function checkTests(
  context: EngineContext,
  { storeId, signal }: Pick<JobRun, 'storeId' | 'signal'>,
): Promise<void> {
  const {
    db: { kysely },
    journal,
    log,
  } = context
  const store = await storeOf(context, storeId)
  if (store.status !== 'installed') return
  const running = await kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('status', '=', 'Active')
    .orderBy('start_at')
    .orderBy('test_id')
    .execute()
  const failures: unknown[] = []
  /** One test that cannot be checked must not keep the others from being checked. */
  const each = async (testId: string | null, act: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    try {
      await act()
    } catch (error) {
      if (signal.aborted || isSilent(error)) throw error
      log.error({ err: error, storeId, testId }, 'a test was not checked; it is checked again')
      failures.push(error)
    }
  }
  await each(null, async () => {
    const off = await switchTrouble(context, store)
    if (off) await holdTests(context, storeId, off)
    else for (const cause of passingCauses) await resumeHeldFor(context, { storeId, signal }, cause)
  })
  for (const test of running)
    await each(test.test_id, async () => {
      const trouble = await testTrouble(context, test)
      if (trouble) await holdTests(context, storeId, trouble, [test.test_id])
    })
  for (const testId of await testsToUndo(kysely, storeId))
    await each(testId, async () => {
      // The merchant may be applying it by now.
      const { undone, kept } = await journal.restore(storeId, {
        testId,
        isWanted: async () => (await testsToUndo(kysely, storeId)).includes(testId),
      })
      log.info({ storeId, testId, undone, kept: kept.length }, 'put back what a test had changed')
      await forgetPictures(context, kysely, storeId)
    })
  failures.push(...(await refusedPlans(context, storeId)))
  if (failures.length > 0) throw failures[0]
}

/**
 * The shop did not answer in time, or let us ask no more. For every other test we would wait as
 * long again.
 */
const isSilent = (error: unknown): boolean =>
  error instanceof ShopBusy || (error instanceof VendorProblem && error.status === 504)
