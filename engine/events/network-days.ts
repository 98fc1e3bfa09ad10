import { groupDay, groupRule, type NetworkVisitors } from '../../domain/events/network-group.ts'
import { hasOrders, networkRule } from '../../domain/events/network-rule.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { rows as query, run } from '../db/raw.ts'
import type { Reader } from '../db/types.ts'
import { ordersOf } from './networks/network-decisions.ts'

/**
 * For each day that is over, stores how many new visitors the shop had and how many of them came
 * from its busiest networks; later hours are judged by these numbers. Then deletes the visitors'
 * networks after 48 hours (`networkRule.kept`). Visitors that were set aside stay set aside.
 */
export async function forgetNetworks({ kysely }: Pick<Db, 'kysely'>, now: Date): Promise<void> {
  const kept = new Date(now.getTime() - networkRule.kept)
  for (const { store_id: storeId, day, visitors, networks } of await daysOver(kysely, now)) {
    const busiest: NetworkVisitors[] = []
    for (const one of networks)
      busiest.push({
        visitors: one.visitors,
        hasOrdered: hasOrders({
          visitors: one.visitors,
          orders: await ordersOf(kysely, { storeId, ...one, now: now.getTime() }),
        }),
      })
    const { together, hasOrdered } = groupDay(busiest)
    await run(
      kysely,
      'insert into network_days (store_id, day, visitors, busiest, has_ordered, together, together_ordered) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing',
      [storeId, day, visitors, together[0], hasOrdered[0], together, hasOrdered],
    )
  }
  await run(kysely, 'delete from network_hours where hour < $1', [kept])
  await run(kysely, 'delete from network_visitors where seen_at < $1', [kept])
  await run(kysely, 'delete from network_meetings where met_at < $1', [kept])
  await run(kysely, 'delete from network_arms where hour < $1', [kept])
  await run(
    kysely,
    'update network_decisions set network = null where until < $1 and network is not null',
    [now],
  )
  await run(kysely, 'delete from network_days where day < $1', [
    new Date(now.getTime() - (networkRule.days + 1) * dayLength).toISOString().slice(0, 10),
  ])
}

/**
 * Days (UTC) of each store that are over and not stored yet, with the busiest networks of each day
 * in falling order.
 */
const daysOver = (kysely: Reader, now: Date): Promise<DayOver[]> =>
  query<DayOver>(
    kysely,
    `
    with d as (select store_id, (hour at time zone 'UTC')::date as day, network, sum(visitors)::int as visitors from network_hours
      where hour < $1::date::timestamp at time zone 'UTC' group by 1, 2, 3),
    ranked as (select *, row_number() over (partition by store_id, day, network = '' order by visitors desc, network) as rank from d)
    select store_id, day::text as day, coalesce(max(visitors) filter (where network = ''), 0) as visitors,
      coalesce(json_agg(json_build_object('network', network, 'visitors', visitors) order by rank) filter (where network <> '' and rank <= ${groupRule.size}), '[]') as networks
    from ranked d where not exists (select from network_days k where k.store_id = d.store_id and k.day = d.day) group by store_id, day`,
    [now.toISOString().slice(0, 10)],
  )
type DayOver = {
  store_id: string
  day: string
  visitors: number
  networks: { network: string; visitors: number }[]
}
