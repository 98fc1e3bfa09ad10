import { hourOf, inLastHour } from '../../../domain/events/network-rule.ts'
import { rows as query, run } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'

/** A visitor that the shop sees for the first time, and when (milliseconds). */
export type Fresh = { storeId: string; visitor: string; network: string; at: number }

type Counted = { storeId: string; network: string; at: number; own: number; all: number }
/** A shop's new visitors in the clock hour of `at`, before a batch and after it. */
export type ShopHour = { storeId: string; at: number; before: number; after: number }

export type HourRow = {
  store_id: string
  hour: number
  network: string
  current: number
  previous: number
}
type Added = { storeId: string; network: string; hour: number; at: number; visitors: number }

/** These new visitors by clock hour and network, and those of each shop (network ''). */
export function hoursOf(fresh: readonly Fresh[]): Added[] {
  const added = new Map<string, Added>()
  for (const { storeId, network, at } of fresh)
    for (const name of [network, '']) {
      const hour = hourOf(at),
        key = `${storeId} ${hour} ${name}`,
        known = added.get(key)
      if (known) Object.assign(known, { at: Math.max(known.at, at), visitors: known.visitors + 1 })
      else added.set(key, { storeId, network: name, hour, at, visitors: 1 })
    }
  return [...added.values()]
}

/** Adds these visitors to the hourly counts, and returns the counts after it (`lastHour`). */
export const countHours = (added: readonly Added[]): Statement[] => [
  {
    name: 'hours_counted',
    text: `
      insert into network_hours as h (store_id, hour, network, visitors)
      select store_id, to_timestamp(hour / 1000), network, visitors from unnest($1::uuid[], $2::float8[], $3::text[], $4::int[]) a(store_id, hour, network, visitors)
      on conflict (store_id, hour, network) do update set visitors = h.visitors + excluded.visitors returning h.*`,
    values: [...keysOf(added), added.map(a => a.visitors)],
  },
  { name: 'hours', text: hourRows('hours_counted'), values: [] },
]

/** The same counts of this moment, without adding to them. */
export const readHours = (trx: Trx, added: readonly Added[]): Promise<HourRow[]> =>
  query<HourRow>(
    trx,
    hourRows(
      '(select h.* from unnest($1::uuid[], $2::float8[], $3::text[]) k(store_id, hour, network) join network_hours h on h.store_id = k.store_id and h.hour = to_timestamp(k.hour / 1000) and h.network = k.network)',
    ),
    keysOf(added),
  )

const keysOf = (added: readonly Added[]): unknown[] => [
  added.map(a => a.storeId),
  added.map(a => a.hour),
  added.map(a => a.network),
]

const hourRows = (counts: string): string => `
    select a.store_id, extract(epoch from a.hour)::float8 * 1000 as hour, a.network, a.visitors as current,
      coalesce((select p.visitors from network_hours p where p.store_id = a.store_id and p.hour = a.hour - interval '1 hour' and p.network = a.network), 0) as previous from ${counts} a`

/**
 * Returns for each of these networks how many new visitors it (`own`) and the shop (`all`) had in
 * the last hour, and the clock hours of the shops.
 */
export function lastHour(
  added: readonly Added[],
  counts: readonly HourRow[],
): { networks: Counted[]; shops: ShopHour[] } {
  const found = new Map(counts.map(row => [`${row.store_id} ${row.hour} ${row.network}`, row]))
  const of = (storeId: string, hour: number, network: string) =>
    found.get(`${storeId} ${hour} ${network}`)!
  return {
    networks: added
      .filter(({ network }) => network !== '')
      .map(({ storeId, network, hour, at }) => ({
        storeId,
        network,
        at,
        own: inLastHour(of(storeId, hour, network), at),
        all: inLastHour(of(storeId, hour, ''), at),
      })),
    shops: added
      .filter(({ network }) => network === '')
      .map(({ storeId, hour, at, visitors }) => {
        const after = of(storeId, hour, '').current
        return { storeId, at, before: after - visitors, after }
      }),
  }
}

/**
 * A shop's busiest networks since `since` (milliseconds), in falling order, and all its new
 * visitors. Leaves out networks that a person decided about.
 */
export async function busiestSince(
  trx: Trx,
  storeId: string,
  since: number,
  now: number,
  most: number,
): Promise<{ all: number; networks: { network: string; visitors: number }[] }> {
  const found = await query<{ network: string; visitors: number }>(
    trx,
    `
    select network, sum(visitors)::int as visitors from network_hours h where store_id = $1 and hour > to_timestamp($2::float8 / 1000)
      and not exists (select from network_decisions d where d.store_id = h.store_id and d.network = h.network and d.decided_by <> 'rule' and d.until > to_timestamp($3::float8 / 1000))
    group by network order by network <> '', visitors desc, network limit $4`,
    [storeId, since, now, most + 1],
  )
  return {
    all: found.find(({ network }) => network === '')?.visitors ?? 0,
    networks: found.filter(({ network }) => network !== ''),
  }
}

/**
 * Removes a network from the hourly counts since `since` (milliseconds). Visitors that are set
 * aside must not change what is usual for the shop, and must not hide a second busy network.
 */
export async function takeFromHours(
  trx: Trx,
  storeId: string,
  network: string,
  since: number,
): Promise<void> {
  await run(
    trx,
    `
    with gone as (delete from network_hours where store_id = $1 and network = $2 and hour >= to_timestamp($3::float8 / 1000) returning hour, visitors)
    update network_hours h set visitors = h.visitors - g.visitors from gone g where h.store_id = $1 and h.hour = g.hour and h.network = ''`,
    [storeId, network, since],
  )
}
