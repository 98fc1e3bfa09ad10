import { randomUUID } from 'node:crypto'
import { hasOrders, networkRule } from '../../../domain/events/network-rule.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { rows as query, run } from '../../db/raw.ts'
import { addMove } from './network-moves.ts'
import type { Reader, Trx } from '../../db/types.ts'

/** What was decided about a network, as the database has it. */
export type Decision = {
  store_id: string
  decision_id: string
  network: string
  kind: 'setAside' | 'warned' | 'counted'
  decided_by: 'rule' | 'merchant' | 'staff'
  one_sided: boolean
}

/**
 * Signed orders of a network's visitors, as long as those are known; counted from the latest order on, and no further than
 * to what vouches for so many visitors. Orders cannot be forged, so their number is what bounds it, not the visitors'.
 */
export async function ordersOf(
  on: Reader,
  {
    storeId,
    network,
    visitors,
    now,
  }: { storeId: string; network: string; visitors: number; now: number },
): Promise<number> {
  const [row] = await query<{ orders: number }>(
    on,
    `
    select count(*)::int as orders from (
      select from (select store_id, visitor_id from orders where store_id = $1 and created_at > to_timestamp($3::float8 / 1000) and visitor_id is not null and not is_test order by created_at desc limit ${orderLimit}) o,
        lateral (select from network_visitors n where n.store_id = o.store_id and n.visitor_id = o.visitor_id and n.network = $2 offset 0) n
      limit $4) own`,
    [storeId, network, now - ordersFor, Math.ceil(visitors / networkRule.visitorsPerOrder) + 1],
  )
  return row!.orders
}
/** An order may come two days late. */
export const ordersFor = 2 * networkRule.kept,
  orderLimit = 10_000

/** Visitors of a network who are counted at a time: nobody waits for millions. */
export const knownLimit = 100_000

/** A new decision, with what it is made from. */
export type Deciding = {
  storeId: string
  network: string
  kind: Decision['kind']
  by: 'rule' | 'merchant' | 'staff'
  at: number
  visitors: number
  share: number | null
  /** Its visitors are in one arm of a test: no order excuses that. */
  isOneSided?: boolean
}

/** What holds for a network from now on, in place of what was decided before. Answers the decision's id. */
export async function decide(
  trx: Trx,
  { storeId, network, kind, by, at, visitors, share, isOneSided = false }: Deciding,
): Promise<string> {
  await run(
    trx,
    'update network_decisions set network = null where store_id = $1 and network = $2',
    [storeId, network],
  )
  const id = randomUUID()
  await run(
    trx,
    `
    insert into network_decisions (store_id, decision_id, network, kind, decided_by, decided_at, until, visitors, share, one_sided)
    values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8, $9, $10)`,
    [storeId, id, network, kind, by, at, at + networkRule.kept, visitors, share, isOneSided],
  )
  return id
}

/**
 * An order of a visitor whom the rule has set aside vouches for their network: its visitors are counted again, and there
 * is a warning, once it orders as real shoppers do. What a person has set aside stays so, and so does a one-sided network.
 */
export async function liftByOrder(
  trx: Trx,
  store: AggregatedStore,
  visitor: string,
  now: number,
): Promise<void> {
  const [found] = await query<{
    network: string
    decision_id: string
    visitors: number
    share: number | null
  }>(
    trx,
    `
    select d.network, d.decision_id, d.share, (select count(*)::int from (select from network_visitors n where n.store_id = d.store_id and n.network = d.network limit ${knownLimit}) n) as visitors
    from visitors_aside a join network_visitors v on v.store_id = a.store_id and v.visitor_id = a.visitor_id
    join network_decisions d on d.store_id = v.store_id and d.network = v.network
    where a.store_id = $1 and a.visitor_id = $2 and d.kind = 'setAside' and d.decided_by = 'rule' and not d.one_sided limit 1`,
    [store.id, visitor],
  )
  if (
    !found ||
    !hasOrders({
      visitors: found.visitors,
      orders: await ordersOf(trx, {
        storeId: store.id,
        network: found.network,
        visitors: found.visitors,
        now,
      }),
    })
  )
    return
  const id = await decide(trx, {
    storeId: store.id,
    network: found.network,
    kind: 'warned',
    by: 'rule',
    at: now,
    visitors: found.visitors,
    share: found.share,
  })
  await addMove(trx, store.id, id, now)
}
