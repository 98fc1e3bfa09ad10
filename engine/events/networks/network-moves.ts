import { networkRule } from '../../../domain/events/network-rule.ts'
import type { Reader, Trx } from '../../db/types.ts'
import { add } from '../../jobs/queue.ts'

/**
 * A decision holds at once for new visitors. A job moves those who came before it, and not before `since` (milliseconds). Which network it is stands with the decision alone: jobs are kept for longer than networks are known.
 */
export async function addMove(
  trx: Trx,
  storeId: string,
  decisionId: string,
  now: number,
  since: number = now - networkRule.kept,
): Promise<void> {
  await add(trx, { storeId, kind: 'networkMove', payload: { decisionId, since } }, new Date(now))
}

/** Whether visitors of a store are being set aside or counted again, so that its figures are between the two. */
export async function isMoving(on: Reader, storeId: string): Promise<boolean> {
  const found = await on
    .selectFrom('jobs')
    .select('job_id')
    .where('store_id', '=', storeId)
    .where('kind', '=', 'networkMove')
    .where('status', 'not in', ['completed', 'errored'])
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
