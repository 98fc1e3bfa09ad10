import { HttpProblem } from '../../domain/problem.ts'
import { notFinishedWords } from '../../domain/tests/apply-words.ts'
import type { EngineContext } from '../context.ts'
import { heldTest, noteApplication } from './test-statuses.ts'

/**
 * Finishes changes whose process died. Those that the shop refused are noted in the history of
 * their tests, and returned, so that the job says so.
 */
export async function refusedPlans(
  { db: { kysely }, journal, clock, log }: EngineContext,
  storeId: string,
): Promise<HttpProblem[]> {
  const refused = await journal.resume(storeId)
  for (const { testId, message, notUndone } of refused) {
    log.warn({ storeId, testId, notUndone }, 'an interrupted change was refused')
    await kysely.transaction().execute(async trx => {
      const test = testId === null ? null : await heldTest(trx, storeId, testId)
      if (test) await noteApplication(trx, test, clock(), notFinishedWords(message))
    })
  }
  return refused.map(({ message }) => new HttpProblem(409, notFinishedWords(message)))
}
