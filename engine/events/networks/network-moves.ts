import { networkRule } from '../../../domain/events/network-rule.ts'
import type { Reader, Trx } from '../../db/types.ts'
import { add } from '../../jobs/queue.ts'

/**
 * Adds a job that applies a decision to the visitors who came before it, but not before `since`
 * (milliseconds). For new visitors a decision holds at once. The job names the decision and not the
 * network, because jobs are kept for longer than networks may be known.
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

/**
 * Whether a job is setting visitors of this store aside or counting them again. Until it ends, the
 * store's figures are only partly changed.
 */
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
