import {
  hourOf,
  isUnusual,
  judgeNetwork,
  networkRule,
  type NetworkDay,
  usualShare,
} from '../../../domain/events/network-rule.ts'
import { isImported } from '../../../domain/imports/imported.ts'
import type { Aside, AggregatedStore } from '../aggregates/aggregates.ts'
import { visitorKey } from '../aggregates/aggregates-sessions.ts'
import { cyclePeriod, type RecordedVisitors, recordedKey } from '../aggregates/aggregates-store.ts'
import { rows as query } from '../../db/raw.ts'
import { type EventRow, setAside } from '../ingest-rows.ts'
import { moveCounts, setAsideBy } from './network-aside.ts'
import { decide, type Decision, ordersOf } from './network-decisions.ts'
import { countHours, type Fresh, takeFromHours } from './network-hours.ts'
import { asideAmong } from '../aggregates/visitors-aside.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Notes which networks the new visitors among these rows came from, and sets aside those of a network that brings far
 * more than is usual (domain/events/network-rule.ts). Answers who of the rows is set aside, and for whom that is new. Before the
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

async function usualOf(trx: Trx, storeId: string): Promise<number> {
  return usualShare(
    await query<NetworkDay>(
      trx,
      'select visitors, busiest from network_days where store_id = $1 order by day desc limit $2',
      [storeId, networkRule.days],
    ),
  )
}
