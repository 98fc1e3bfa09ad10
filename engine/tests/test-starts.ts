import { type HoldCause, holdCause } from '../../domain/tests/hold-cause.ts'
import type { TestStatus } from '../../domain/tests/test-status.ts'
import type { EngineContext } from '../context.ts'
import { requireInstalled } from '../db/installed.ts'
import { afterChange, ownTrouble, startTrouble } from './test-checks.ts'
import { conflictsAtStart, inWords } from '../prices/test-products.ts'
import { changeStatus, heldTest, type TestRow } from './test-statuses.ts'
import type { Trx } from '../db/types.ts'

/**
 * The one place where a test that was made before starts to run: resumed, back from hold or suspension, or its
 * time has come. The test is held `for update`, its move is known to be legal, and `trouble` is what `startTrouble` has
 * found, which asks the shop and so comes before the transaction. What our own database alone decides is looked at here
 * again, one start of a price test at a time (a launch waits at the same lock). Returns what prevents it; then the
 * test stays as it was.
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

/** The same for a test that nobody waits for: it is put on hold when something prevents the start. Returns the result. */
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

/** A test on hold, back to running when its cause is gone; otherwise what prevents that. Null when it is not on hold. */
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
