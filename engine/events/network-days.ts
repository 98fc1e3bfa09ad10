import { networkRule } from '../../domain/events/network-rule.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { run } from '../db/raw.ts'

/**
 * Keeps of each day that is over how many new visitors the shop had and how many its busiest network, by which a later
 * hour is judged; then forgets which networks they were, after 48 hours. What is decided about visitors stays with them.
 */
export async function forgetNetworks({ kysely }: Pick<Db, 'kysely'>, now: Date): Promise<void> {
  const kept = new Date(now.getTime() - networkRule.kept),
    today = now.toISOString().slice(0, 10)
  await run(
    kysely,
    `
    insert into network_days (store_id, day, visitors, busiest)
    select store_id, day, coalesce(max(visitors) filter (where network = ''), 0), coalesce(max(visitors) filter (where network <> ''), 0)
    from (select store_id, (hour at time zone 'UTC')::date as day, network, sum(visitors)::int as visitors from network_hours
      where hour < $1::date::timestamp at time zone 'UTC' group by 1, 2, 3) h
    group by store_id, day on conflict do nothing`,
    [today],
  )
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
