import { randomUUID } from 'node:crypto'
import {
  hasOrders,
  hourOf,
  inLastHour,
  isUnusual,
  judgeNetwork,
  networkRule,
  type NetworkDay,
  usualShare,
} from '../domain/network-rule.ts'
import { isImported } from '../domain/imported.ts'
import { type Aside, type AggregatedStore, type Trx } from './aggregates.ts'
import { visitorKey } from './aggregates-sessions.ts'
import { cyclePeriod, type RecordedVisitors, recordedKey } from './aggregates-store.ts'
import { rows as query, run } from './db/raw.ts'
import { type EventRow, setAside } from './ingest-rows.ts'
import { moveCounts, moveVisitors, setAsideBy } from './network-aside.ts'
import { asideAmong } from './visitors-aside.ts'

type Fresh = { storeId: string; visitor: string; network: string; at: number }

/**
 * Notes which networks the new visitors among these rows came from, and sets aside those of a network that brings far
 * more than is usual (domain/network-rule.ts). Answers who of the rows is set aside, and for whom that is new. Before the
 * rows are counted, by whoever holds the stores' locks.
 */
export async function noteNetworks(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<Aside> {
  const visits = new Map<string, EventRow['visit']>()
  for (const { visit, kind, setAside: reason } of rows) {
    if (visit.isBot || reason === setAside.farOff || kind === 'vitals' || isImported(visit.visitor))
      continue
    const key = visitorKey(visit.storeId, visit.visitor)
    if (!visits.has(key)) visits.set(key, visit)
  }
  const fresh = await addFresh(trx, [...visits.values()], storeOf, recorded)
  const changed =
    fresh.length > 0 ? await judgeFresh(trx, fresh, storeOf, new Set(rows.map(row => row.id))) : []
  const known = new Map<string, { storeId: string; visitor: string }>()
  for (const {
    visit: { storeId, visitor },
  } of rows)
    known.set(visitorKey(storeId, visitor), { storeId, visitor })
  const aside = await asideAmong(trx, [...known.values(), ...changed])
  return { has: (storeId, visitor) => aside.has(visitorKey(storeId, visitor)), changed }
}

/** Writes down the network of visitors whom the shop has not seen in this billing cycle or the last; answers those. */
async function addFresh(
  trx: Trx,
  visits: EventRow['visit'][],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<Fresh[]> {
  const found = visits.flatMap(({ storeId, visitor, network, received: at }) => {
    if (!network || at === undefined) return []
    const anchor = storeOf(storeId).cycleAnchor,
      cycle = cyclePeriod(anchor, at)
    return recorded?.has(recordedKey(storeId, cycle, visitor))
      ? []
      : [
          {
            storeId,
            visitor,
            network,
            at,
            cycle,
            before: cyclePeriod(anchor, Date.parse(cycle.slice(cycle.indexOf(':') + 1)) - 1),
          },
        ]
  })
  if (found.length === 0) return []
  const added = await query<{ store_id: string; visitor_id: string }>(
    trx,
    `
    insert into network_visitors (store_id, visitor_id, network, seen_at)
    select n.store_id, n.visitor_id, n.network, to_timestamp(n.at / 1000) from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[]) n(store_id, visitor_id, network, at, cycle, before)
    where (select true from store_visitors s where s.store_id = n.store_id and s.period = n.cycle and s.visitor_id = n.visitor_id) is null
      and (select true from store_visitors s where s.store_id = n.store_id and s.period = n.before and s.visitor_id = n.visitor_id) is null
    on conflict do nothing returning store_id, visitor_id`,
    [
      found.map(f => f.storeId),
      found.map(f => f.visitor),
      found.map(f => f.network),
      found.map(f => f.at),
      found.map(f => f.cycle),
      found.map(f => f.before),
    ],
  )
  const keys = new Set(added.map(row => visitorKey(row.store_id, row.visitor_id)))
  return found.filter(({ storeId, visitor }) => keys.has(visitorKey(storeId, visitor)))
}

type Decision = {
  store_id: string
  decision_id: string
  network: string
  kind: 'setAside' | 'warned' | 'counted'
}

/** Sets aside whom a standing decision or the rule says. Answers whoever is so now. */
async function judgeFresh(
  trx: Trx,
  fresh: Fresh[],
  storeOf: (storeId: string) => AggregatedStore,
  unless: ReadonlySet<string>,
): Promise<Aside['changed']> {
  const changed: Aside['changed'] = []
  const decisions = new Map(
    (
      await query<Decision & { until: number }>(
        trx,
        `
    select d.store_id, d.decision_id, d.network, d.kind, extract(epoch from d.until)::float8 * 1000 as until from unnest($1::uuid[], $2::text[]) k(store_id, network),
      lateral (select * from network_decisions d where d.store_id = k.store_id and d.network = k.network offset 0) d`,
        [fresh.map(f => f.storeId), fresh.map(f => f.network)],
      )
    ).map(row => [visitorKey(row.store_id, row.network), row]),
  )
  const standing = ({ storeId, network, at }: Fresh) => {
    const decision = decisions.get(visitorKey(storeId, network))
    return decision && decision.until > at ? decision : undefined
  }
  const counted: Fresh[] = []
  for (const one of fresh) {
    const decision = standing(one)
    if (decision?.kind !== 'setAside') counted.push(one)
    else
      for (const visitor of await setAsideBy(trx, one.storeId, decision.decision_id, [one.visitor]))
        changed.push({ storeId: one.storeId, visitor })
  }
  for (const { storeId, network, at, own, all } of await countHours(trx, counted)) {
    const decision = decisions.get(visitorKey(storeId, network)),
      holds = decision && decision.until > at
    // The floor first: it needs nothing that is not at hand.
    if ((holds && decision.kind === 'counted') || !isUnusual({ own, all, usual: 0 })) continue
    const store = storeOf(storeId),
      usual = await usualOf(trx, storeId)
    const verdict = judgeNetwork({ own, all, usual, orders: await ordersOf(trx, storeId, network) })
    if (verdict === 'usual' || (holds && decision.kind === verdict)) continue
    const id = await decide(trx, {
      storeId,
      network,
      kind: verdict,
      by: 'rule',
      at,
      visitors: Math.round(own),
      share: own / all,
    })
    if (verdict !== 'setAside') continue
    const recent = await query<{ visitor_id: string }>(
      trx,
      'select visitor_id from network_visitors where store_id = $1 and network = $2 and seen_at > to_timestamp($3::float8 / 1000)',
      [storeId, network, at - networkRule.window],
    )
    const visitors = await setAsideBy(
      trx,
      storeId,
      id,
      recent.map(row => row.visitor_id),
    )
    await moveCounts(trx, store, visitors, true, at, unless)
    await takeFromHours(trx, storeId, network, hourOf(at) - networkRule.window)
    for (const visitor of visitors) changed.push({ storeId, visitor })
  }
  return changed
}

type Counted = { storeId: string; network: string; at: number; own: number; all: number }

/** Adds new visitors to their network's hour and to the shop's; answers what each of these networks had in the last hour. */
async function countHours(trx: Trx, fresh: Fresh[]): Promise<Counted[]> {
  if (fresh.length === 0) return []
  const added = new Map<
    string,
    { storeId: string; network: string; hour: number; at: number; visitors: number }
  >()
  for (const { storeId, network, at } of fresh)
    for (const name of [network, '']) {
      const hour = hourOf(at),
        key = `${storeId} ${hour} ${name}`,
        known = added.get(key)
      if (known) Object.assign(known, { at: Math.max(known.at, at), visitors: known.visitors + 1 })
      else added.set(key, { storeId, network: name, hour, at, visitors: 1 })
    }
  const list = [...added.values()]
  const counts = await query<{
    store_id: string
    hour: number
    network: string
    current: number
    previous: number
  }>(
    trx,
    `
    with added as (
      insert into network_hours as h (store_id, hour, network, visitors)
      select store_id, to_timestamp(hour / 1000), network, visitors from unnest($1::uuid[], $2::float8[], $3::text[], $4::int[]) a(store_id, hour, network, visitors)
      on conflict (store_id, hour, network) do update set visitors = h.visitors + excluded.visitors returning h.*)
    select a.store_id, extract(epoch from a.hour)::float8 * 1000 as hour, a.network, a.visitors as current,
      coalesce((select p.visitors from network_hours p where p.store_id = a.store_id and p.hour = a.hour - interval '1 hour' and p.network = a.network), 0) as previous from added a`,
    [
      list.map(a => a.storeId),
      list.map(a => a.hour),
      list.map(a => a.network),
      list.map(a => a.visitors),
    ],
  )
  const found = new Map(counts.map(row => [`${row.store_id} ${row.hour} ${row.network}`, row]))
  return list
    .filter(({ network }) => network !== '')
    .map(({ storeId, network, hour, at }) => ({
      storeId,
      network,
      at,
      own: inLastHour(found.get(`${storeId} ${hour} ${network}`)!, at),
      all: inLastHour(found.get(`${storeId} ${hour} `)!, at),
    }))
}

/** Who is set aside says nothing of what is usual, and hides no second network. */
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

async function usualOf(trx: Trx, storeId: string): Promise<number> {
  return usualShare(
    await query<NetworkDay>(
      trx,
      'select visitors, busiest from network_days where store_id = $1 order by day desc limit $2',
      [storeId, networkRule.days],
    ),
  )
}

/** Signed orders of a network's visitors, as long as those are known. */
async function ordersOf(trx: Trx, storeId: string, network: string): Promise<number> {
  const [row] = await query<{ orders: number }>(
    trx,
    `
    select count(*)::int as orders from network_visitors n, lateral (select from orders o where o.store_id = n.store_id and o.visitor_id = n.visitor_id and not o.is_test offset 0) o
    where n.store_id = $1 and n.network = $2`,
    [storeId, network],
  )
  return row!.orders
}

export type Deciding = {
  storeId: string
  network: string
  kind: Decision['kind']
  by: 'rule' | 'merchant' | 'staff'
  at: number
  visitors: number
  share: number | null
}

/** What holds for a network from now on, in place of what was decided before. Answers the decision's id. */
export async function decide(
  trx: Trx,
  { storeId, network, kind, by, at, visitors, share }: Deciding,
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
    insert into network_decisions (store_id, decision_id, network, kind, decided_by, decided_at, until, visitors, share)
    values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8, $9)`,
    [storeId, id, network, kind, by, at, at + networkRule.kept, visitors, share],
  )
  return id
}

/**
 * An order of a visitor whom the rule has set aside vouches for their network: its visitors are counted again, and there
 * is a warning, once it orders as real shoppers do. What a person has set aside stays so.
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
    select d.network, d.decision_id, d.share, (select count(*)::int from network_visitors n where n.store_id = d.store_id and n.network = d.network) as visitors
    from visitors_aside a join network_visitors v on v.store_id = a.store_id and v.visitor_id = a.visitor_id
    join network_decisions d on d.store_id = v.store_id and d.network = v.network
    where a.store_id = $1 and a.visitor_id = $2 and d.kind = 'setAside' and d.decided_by = 'rule'`,
    [store.id, visitor],
  )
  if (
    !found ||
    !hasOrders({ visitors: found.visitors, orders: await ordersOf(trx, store.id, found.network) })
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
  await moveVisitors(trx, store, { id, network: found.network }, false, now)
}
