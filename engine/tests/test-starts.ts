import { type HoldCause, holdCause } from '../../domain/tests/hold-cause.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import { requireInstalled } from '../db/installed.ts'
import { afterChange, ownTrouble, startTrouble } from './test-checks.ts'
import { conflictsAtStart, inWords } from '../prices/test-products.ts'
import { changeStatus, heldTest, type TestRow } from './test-statuses.ts'
import type { Trx } from '../db/types.ts'

/**
 * The only place where an existing test starts to run: it is resumed, its hold or suspension ends,
 * or its scheduled time has come. The caller has locked the test (`for update`), knows that the
 * move is legal, and passes `trouble` from `startTrouble`, which asks the shop and so runs before
 * the transaction. What our own database decides is checked here again, for one start of a price
 * test at a time (a launch waits for the same lock). Returns what prevents the start, and then does
 * not change the test; null when it runs.
 */
export async function letRun(
  trx: Trx,
  { clock }: Pick<EngineContext, 'clock'>,
  test: TestRow,
  trouble: HoldCause | null,
): Promise<HoldCause | null> {
  const found =
    trouble ??
    (await ownTrouble({ db: { kysely: trx }, clock }, test)) ??
    (await conflictTrouble(trx, test))
  if (!found) await changeStatus(trx, test, 'Active', clock())
  return found
}

/**
 * The same, but puts the test on hold when something prevents the start. Returns the new status.
 */
export async function runOrHold(
  trx: Trx,
  context: Pick<EngineContext, 'clock'>,
  test: TestRow,
  trouble: HoldCause | null,
): Promise<TestStatus> {
  const found = await letRun(trx, context, test, trouble)
  if (!found) return 'Active'
  await changeStatus(trx, test, 'OnHold', context.clock(), found)
  return 'OnHold'
}

async function conflictTrouble(
  trx: Trx,
  { kind, store_id, test_id }: TestRow,
): Promise<HoldCause | null> {
  const conflicts = kind === 'Price' ? await conflictsAtStart(trx, store_id, test_id) : []
  return conflicts.length > 0
    ? holdCause('productConflict', inWords(conflicts.map(({ message }) => message)))
    : null
}

/**
 * Resumes a test on hold when its cause is gone; otherwise returns what prevents that. Null when
 * the test is not on hold.
 */
export async function resumeHeld(
  context: EngineContext,
  test: TestRow,
): Promise<'resumed' | HoldCause | null> {
  const {
    db: { kysely },
    publisher,
  } = context
  const trouble = await startTrouble(context, test)
  if (trouble) return trouble
  const outcome = await kysely.transaction().execute(async trx => {
    await requireInstalled(trx, test.store_id)
    const held = await heldTest(trx, test.store_id, test.test_id)
    if (held?.status !== 'OnHold') return null
    const found = await letRun(trx, context, held, null)
    if (found) return found
    await afterChange(trx, context, held, 'Active')
    return 'resumed' as const
  })
  if (outcome === 'resumed') await publisher.publish(test.store_id)
  return outcome
}
