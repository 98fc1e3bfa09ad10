import { randomUUID } from 'node:crypto'
import { hasOrders, networkRule } from '../../../domain/events/network-rule.ts'
import { day } from '../../../domain/time-units.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { rows as query, run } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import { addMove, dropMoves } from './network-moves.ts'
import type { Reader, Trx } from '../../db/types.ts'

/** A decision about a network, as the database stores it. */
export type Decision = {
  store_id: string
  decision_id: string
  network: string
  kind: 'setAside' | 'warned' | 'counted'
  decided_by: 'rule' | 'merchant' | 'staff'
  one_sided: boolean
}

/** The latest decision about a network. `until`: milliseconds. */
export type Standing = Decision & { until: number }

/** Finds the latest decisions about these networks. */
export const decisionsOn = (
  networks: readonly { storeId: string; network: string }[],
): Statement => ({
  name: 'decided',
  text: `
    select d.store_id, d.decision_id, d.network, d.kind, d.decided_by, d.one_sided, extract(epoch from d.until)::float8 * 1000 as until from unnest($1::uuid[], $2::text[]) k(store_id, network),
      lateral (select * from network_decisions d where d.store_id = k.store_id and d.network = k.network offset 0) d`,
  values: [networks.map(one => one.storeId), networks.map(one => one.network)],
})

/**
 * Counts the signed orders of a network's visitors while their network is known. Begins with the
 * latest order and stops when the orders are enough for `visitors` visitors
 * (`networkRule.visitorsPerOrder`). The query starts from the orders and not from the visitors,
 * because nobody can forge orders, so their number stays limited.
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
/**
 * How far back orders are read (milliseconds): two days longer than a network is known, because an
 * order may come two days late. `orderLimit`: maximum number of orders read.
 */
export const ordersFor = 2 * networkRule.kept,
  orderLimit = 10_000

/**
 * Maximum number of a network's visitors that are counted, so that nobody waits for millions of
 * rows.
 */
export const knownLimit = 100_000

/** A new decision, with the numbers that it is based on. */
export type Deciding = {
  storeId: string
  network: string
  kind: Decision['kind']
  by: 'rule' | 'merchant' | 'staff'
  at: number
  visitors: number
  share: number | null
  /** Too many of its visitors are in one arm of a test. Orders do not lift such a decision. */
  isOneSided?: boolean
}

/**
 * Stores a new decision about a network, which replaces the earlier one. Returns its id. The caller
 * must hold the store's lock.
 */
export async function decide(
  trx: Trx,
  { storeId, network, kind, by, at, visitors, share, isOneSided = false }: Deciding,
): Promise<string> {
  const replaced = await query<{ id: string }>(
    trx,
    'update network_decisions set network = null where store_id = $1 and network = $2 returning decision_id as id',
    [storeId, network],
  )
  if (replaced.length > 0)
    await dropMoves(
      trx,
      storeId,
      replaced.map(one => one.id),
    )
  await dropUnused(trx, storeId, at)
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
 * Deletes decisions that no network and no visitor names. Keeps those of the last day, which count
 * towards the day's limit (quota.ts `networkDecisions`), and warnings, which reports count.
 */
const dropUnused = (trx: Trx, storeId: string, at: number): Promise<unknown> =>
  run(
    trx,
    `
    delete from network_decisions d where d.store_id = $1 and d.network is null and d.kind <> 'warned' and d.decided_at < to_timestamp($2::float8 / 1000)
      and not exists (select from visitors_aside a where a.store_id = d.store_id and a.decision_id = d.decision_id)`,
    [storeId, at - day],
  )

/**
 * Called when an order of a visitor arrives. If the rule has set the visitor's network aside, and
 * the network now orders as often as real shoppers do (`hasOrders`), its visitors are counted again
 * and only a warning remains.
 * Networks that a person has set aside stay aside, and so do one-sided networks.
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
