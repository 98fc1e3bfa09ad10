import type { Network } from '../../../domain/events/network.ts'
import { networkRule } from '../../../domain/events/network-rule.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { quotas, quotaWords } from '../../../domain/quota.ts'
import { day } from '../../../domain/time-units.ts'
import type { EngineContext } from '../../context.ts'
import type { Db } from '../../db/connection.ts'
import type { Trx } from '../../db/types.ts'
import { rows as query } from '../../db/raw.ts'
import { loadStore } from '../event-stores.ts'
import { withStoreLock } from '../store-lock.ts'
import { decide, type Deciding, knownLimit, orderLimit, ordersFor } from './network-decisions.ts'
import { takeFromHours } from './network-hours.ts'
import { addMove } from './network-moves.ts'
import { notFound, type Serve } from '../../http/routes.ts'

/** Maximum number of networks shown. */
const shown = 20

/** Serves the list of busy networks to merchants, and stores what they decide about them. */
export function networkCalls(serve: Serve, context: EngineContext): void {
  serve('networks', (_, { storeId }) => networksOf(context, storeId))
  serve('chooseNetwork', async ({ params: { network }, body: { isCounted } }, { storeId }) => {
    await chooseNetwork(context, storeId, network, isCounted, 'merchant')
    return { ok: true } as const
  })
}

type Row = {
  network: string
  visitors: number
  all: number
  orders: number
  first: Date
  last: Date
  kind: 'setAside' | 'warned' | 'counted' | null
  decided_by: 'rule' | 'merchant' | 'staff'
  decided_at: Date
  until: Date
}

/**
 * The networks of the last 48 hours that have enough visitors (`networkRule.visitors`) or a
 * decision, the busiest first.
 */
export async function networksOf(
  { db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>,
  storeId: string,
): Promise<Network[]> {
  const now = clock()
  const rows = await query<Row>(
    kysely,
    `
    with latest as materialized (select network, visitor_id, seen_at from network_visitors where store_id = $1 and seen_at > $2 order by seen_at desc limit ${knownLimit}),
    counts as (select network, count(*)::int as visitors, min(seen_at) as first, max(seen_at) as last from latest group by network),
    decided as (select * from network_decisions where store_id = $1 and network is not null and until > $3),
    busy as (
      select coalesce(c.network, d.network) as network, coalesce(c.visitors, d.visitors) as visitors, coalesce(c.first, d.decided_at) as first, coalesce(c.last, d.decided_at) as last,
        d.kind, d.decided_by, d.decided_at, d.until
      from counts c full join decided d on d.network = c.network where c.visitors >= ${networkRule.visitors} or d.kind is not null order by 2 desc, 1 limit ${shown}),
    ordered as (
      select n.network, count(*)::int as orders from (select store_id, visitor_id from orders where store_id = $1 and created_at > $4 and visitor_id is not null and not is_test order by created_at desc limit ${orderLimit}) o,
        lateral (select network from network_visitors n where n.store_id = o.store_id and n.visitor_id = o.visitor_id offset 0) n group by 1)
    select b.*, (select greatest(count(*), b.visitors)::int from latest) as all, coalesce(o.orders, 0) as orders
    from busy b left join ordered o on o.network = b.network order by b.visitors desc, b.network`,
    [storeId, new Date(now.getTime() - networkRule.kept), now, new Date(now.getTime() - ordersFor)],
  )
  return rows.map(row => ({
    id: row.network,
    visitors: row.visitors,
    share: row.visitors / row.all,
    orders: row.orders,
    firstSeenAt: row.first.toISOString(),
    lastSeenAt: row.last.toISOString(),
    decision: row.kind && {
      kind: row.kind,
      by: row.decided_by,
      at: row.decided_at.toISOString(),
      until: row.until.toISOString(),
    },
  }))
}

/**
 * Stores a person's decision about a network. The rule does not judge the network any more, and
 * once the job has run, every figure is as if the decision had always applied. Returns how many
 * visitors it concerns. Does nothing more when a person's same decision still holds. Throws 404 for
 * an unknown network, and 429 after too many decisions in a day (quota.ts).
 */
export async function chooseNetwork(
  { db, clock }: { db: Pick<Db, 'kysely'>; clock: () => Date },
  storeId: string,
  network: string,
  isCounted: boolean,
  by: 'merchant' | 'staff',
): Promise<number> {
  const now = clock().getTime()
  return withStoreLock(db, storeId, async trx => {
    const { shop } = (await trx
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .executeTakeFirst()) ?? { shop: '' }
    const store = await loadStore({ kysely: trx }, shop)
    const visitors = await knownVisitors(trx, storeId, network)
    if (!store || visitors === 0) throw notFound('network')
    const kind = isCounted ? 'counted' : 'setAside'
    const earlier = await earlierOf(trx, { storeId, network, kind, by, now })
    if (earlier.holds) return visitors
    if (earlier.made >= quotas.networkDecisions)
      throw new HttpProblem(429, quotaWords.networkDecisions)
    const id = await decide(trx, {
      storeId,
      network,
      kind,
      by,
      at: now,
      visitors,
      share: Math.min(1, visitors / (await knownVisitors(trx, storeId))),
    })
    if (!isCounted) await takeFromHours(trx, storeId, network, 0)
    await addMove(trx, storeId, id, now)
    return visitors
  })
}

/** Counts the store's visitors whose network is known, all or those of one network. */
async function knownVisitors(trx: Trx, storeId: string, network?: string): Promise<number> {
  const [known] = await query<{ visitors: number }>(
    trx,
    `select count(*)::int as visitors from (select from network_visitors where store_id = $1 ${network === undefined ? '' : 'and network = $2'} limit ${knownLimit}) known`,
    network === undefined ? [storeId] : [storeId, network],
  )
  return known!.visitors
}

/**
 * `holds`: a person made the same decision before, it still holds, and its job did not fail.
 * `made`: the number of decisions in the last day by merchants, or by staff.
 */
async function earlierOf(
  trx: Trx,
  {
    storeId,
    network,
    kind,
    by,
    now,
  }: Pick<Deciding, 'storeId' | 'network' | 'kind' | 'by'> & { now: number },
): Promise<{ holds: boolean; made: number }> {
  const [found] = await query<{ holds: boolean; made: number }>(
    trx,
    `
    select exists (select from network_decisions d where d.store_id = $1 and d.network = $2 and d.kind = $3 and d.decided_by <> 'rule' and d.until > to_timestamp($5::float8 / 1000)
        and not exists (select from jobs j where j.store_id = d.store_id and j.kind = 'networkMove' and j.status = 'errored' and j.payload->>'decisionId' = d.decision_id::text)) as holds,
      (select count(*)::int from network_decisions where store_id = $1 and decided_by = $4 and decided_at > to_timestamp($6::float8 / 1000)) as made`,
    [storeId, network, kind, by, now, now - day],
  )
  return found!
}
