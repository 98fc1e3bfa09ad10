import type { EngineContext } from '../../context.ts'
import { rows as query } from '../../db/raw.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { loadStore } from '../event-stores.ts'
import { withStoreLock } from '../store-lock.ts'
import { moveVisitors } from './network-aside.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Maximum number of visitors moved in one transaction, so that others can write between two of
 * them.
 */
export const movedAtOnce = 2_000

type Decided = { network: string | null; kind: 'setAside' | 'warned' | 'counted' }
type Known = { visitor: string; seen: string }
type Piece = { isDone: boolean; last: Known | null; moved: number }

/**
 * The job's handler: moves the visitors of a decision's network, `movedAtOnce` at a time. Ends
 * early when another decision has replaced this one. Throws `StoreBusy` when the store is locked
 * for longer than a moment: waiting here would keep the lane's places from schedules and holds.
 */
export const networkMove =
  ({ db, clock }: Pick<EngineContext, 'db' | 'clock'>): JobHandler =>
  async ({ storeId, payload, state, checkpoint, progress, signal }) => {
    const decisionId = String(payload['decisionId']),
      since = Number(payload['since'])
    let last = (state['last'] as Known | undefined) ?? null,
      moved = Number(state['moved'] ?? 0)
    for (let isDone = false; !isDone;) {
      signal.throwIfAborted()
      // A piece may be moved again after a failure, so it changes nothing outside its transaction.
      const movePiece = async (trx: Trx): Promise<Piece> => {
        const [decision] = await query<Decided>(
          trx,
          'select network, kind from network_decisions where store_id = $1 and decision_id = $2',
          [storeId, decisionId],
        )
        if (!decision?.network) return { isDone: true, last, moved }
        // Reads in the order of the index, so that a late piece costs no more than the first one.
        const known = await query<Known>(
          trx,
          `
          select visitor_id as visitor, seen_at::text as seen from network_visitors where store_id = $1 and network = $2 and seen_at > to_timestamp($3::float8 / 1000)
            and ($4::text is null or (seen_at, visitor_id) > ($4::timestamptz, $5::text)) order by seen_at, visitor_id limit ${movedAtOnce}`,
          [storeId, decision.network, since, last?.seen ?? null, last?.visitor ?? null],
        )
        const { shop } = await trx
          .selectFrom('stores')
          .select('shop')
          .where('store_id', '=', storeId)
          .executeTakeFirstOrThrow()
        const store = await loadStore({ kysely: trx }, shop)
        if (!store || known.length === 0) return { isDone: true, last, moved }
        const changed = await moveVisitors(
          trx,
          store,
          { id: decisionId, network: decision.network },
          known.map(({ visitor }) => visitor),
          decision.kind === 'setAside',
          clock().getTime(),
        )
        const next = { last: known.at(-1)!, moved: moved + changed }
        await checkpoint(next, trx)
        return { isDone: known.length < movedAtOnce, ...next }
      }
      ;({ isDone, last, moved } = await withStoreLock(db, storeId, movePiece))
    }
    await progress(1, `${moved} visitors of a network were moved`)
  }
