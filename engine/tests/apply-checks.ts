import { importedHasNoArms } from '../../domain/tests/apply-words.ts'
import { type Arm, arms } from '../../domain/arm.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { canMove, refusedMove } from '../../domain/tests/test-status.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { requireApplicable } from './apply-targets.ts'
import type { EngineContext } from '../context.ts'
import { requireProducts } from '../prices/test-products.ts'
import type { TestRow } from './test-statuses.ts'

/** Throws HttpProblem 409 for an imported test, because it has nothing of ours in the shop. */
export async function requireOwn(
  context: EngineContext,
  storeId: string,
  testId: string,
): Promise<void> {
  const imported = await context.db.kysely
    .selectFrom('tests')
    .select('test_id')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .where('is_imported', '=', true)
    .executeTakeFirst()
  if (imported) throw new HttpProblem(409, importedHasNoArms)
}

/**
 * Checks that the arm of a test that has not ended can be applied. We ask the shop before we end
 * the test, so that the test continues when something is missing. Throws HttpProblem 409.
 */
export async function requireReady(
  context: EngineContext,
  storeId: string,
  testId: string,
  arm: Arm,
): Promise<void> {
  const test = await context.db.kysely
    .selectFrom('tests')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .where('status', '!=', 'Ended')
    .executeTakeFirst()
  if (!test) return
  refuse(test)
  if (test.kind === 'Price' && arm === 'variant') await requireProducts(context, storeId, testId)
  const kind = targetKind(test.kind)
  if (kind) await requireApplicable[kind](context, test, arm)
}

/** Throws HttpProblem 409 when no arm of the test can be applied now. */
export function refuse(test: TestRow): void {
  if (test.kind === 'Api')
    throw new HttpProblem(
      409,
      `${testKinds.Api.label} tests are not applied from here: your developer ships the ${arms.join(' or the ')} in the shop’s own code.`,
    )
  if (!test.start_at)
    throw new HttpProblem(409, 'This test has never run, so there is nothing to apply.')
  if (test.status !== 'Ended' && !canMove('merchant', test.status, 'Ended'))
    throw new HttpProblem(409, refusedMove(test.status, 'Ended'))
}
