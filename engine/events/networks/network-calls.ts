import type { Network } from '../../../domain/events/network.ts'
import { networkRule } from '../../../domain/events/network-rule.ts'
import type { EngineContext } from '../../context.ts'
import type { Db } from '../../db/connection.ts'
import { rows as query } from '../../db/raw.ts'
import { loadStore } from '../event-stores.ts'
import { lockStores } from '../ingest-write.ts'
import { moveVisitors } from './network-aside.ts'
import { decide } from './network-decisions.ts'
import { takeFromHours } from './network-hours.ts'
import { notFound, type Serve } from '../../http/routes.ts'

/** Most networks shown. */
const shown = 20

/** The merchant's view of busy networks, and what they decide about them. */
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

/** Those of the last 48 hours that are worth a look, the busiest first. */
export async function networksOf(
  { db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>,
  storeId: string,
): Promise<Network[]> {
  const now = clock()
  const rows = await query<Row>(
    kysely,
    `
    with known as materialized (select network, visitor_id, seen_at from network_visitors where store_id = $1 and seen_at > $2),
    busy as (
      select k.network, count(*)::int as visitors, min(k.seen_at) as first, max(k.seen_at) as last, d.kind, d.decided_by, d.decided_at, d.until
      from known k left join network_decisions d on d.store_id = $1 and d.network = k.network and d.until > $3
      group by k.network, d.kind, d.decided_by, d.decided_at, d.until
      having count(*) >= ${networkRule.visitors} or d.kind is not null order by 2 desc, 1 limit ${shown})
    select b.*, (select count(*)::int from known) as all, (
      select count(*)::int from known k join orders o on o.store_id = $1 and o.visitor_id = k.visitor_id and not o.is_test where k.network = b.network) as orders
    from busy b order by b.visitors desc, b.network`,
    [storeId, new Date(now.getTime() - networkRule.kept), now],
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

/** A person's word on a network: the rule asks no more, and every figure is as if it had always been so. Answers how many visitors it concerns. */
export async function chooseNetwork(
  { db, clock }: { db: Pick<Db, 'kysely'>; clock: () => Date },
  storeId: string,
  network: string,
  isCounted: boolean,
  by: 'merchant' | 'staff',
): Promise<number> {
  const now = clock().getTime()
  return db.kysely.transaction().execute(async trx => {
    await lockStores(trx, [storeId])
    const { shop } = (await trx
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .executeTakeFirst()) ?? { shop: '' }
    const store = await loadStore({ kysely: trx }, shop)
    const [known] = await query<{ visitors: number; all: number }>(
      trx,
      `
      select count(*) filter (where network = $2)::int as visitors, count(*)::int as all from network_visitors where store_id = $1`,
      [storeId, network],
    )
    if (!store || !known || known.visitors === 0) throw notFound('network')
    const id = await decide(trx, {
      storeId,
      network,
      kind: isCounted ? 'counted' : 'setAside',
      by,
      at: now,
      visitors: known.visitors,
      share: known.visitors / known.all,
    })
    if (!isCounted) await takeFromHours(trx, storeId, network, 0)
    await moveVisitors(trx, store, { id, network }, !isCounted, now)
    return known.visitors
  })
}
