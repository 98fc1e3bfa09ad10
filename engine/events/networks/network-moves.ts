import { networkRule } from '../../../domain/events/network-rule.ts'
import { rows as query, run } from '../../db/raw.ts'
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
 * Deletes the jobs of decisions that another one replaced, except one that is running; it ends by
 * itself.
 */
export async function dropMoves(trx: Trx, storeId: string, decisionIds: string[]): Promise<void> {
  await run(
    trx,
    `
    delete from jobs where store_id = $1 and kind = 'networkMove' and status not in ('completed', 'errored') and lease is null
      and payload->>'decisionId' = any($2::text[])`,
    [storeId, decisionIds],
  )
}

/**
 * Whether a job is setting visitors of this store aside, or counting them again, because the rule
 * decided so. Until it ends, the store's figures are only partly changed. Decisions by persons do
 * not count: otherwise a merchant could switch off the limit of visitors by deciding again and
 * again.
 */
export async function isMoving(on: Reader, storeId: string): Promise<boolean> {
  const found = await query(
    on,
    `
    select 1 from jobs j join network_decisions d on d.store_id = j.store_id and d.decision_id = (j.payload->>'decisionId')::uuid
    where j.store_id = $1 and j.kind = 'networkMove' and j.status not in ('completed', 'errored') and d.network is not null and d.decided_by = 'rule' limit 1`,
    [storeId],
  )
  return found.length > 0
}
