import { isOneSided } from '../../../domain/events/network-arms.ts'
import {
  hourOf,
  isUnusual,
  judgeNetwork,
  networkRule,
  type NetworkDay,
  usualShare,
} from '../../../domain/events/network-rule.ts'
import { rows as query } from '../../db/raw.ts'
import type { Trx } from '../../db/types.ts'
import type { AggregatedStore, Aside } from '../aggregates/aggregates.ts'
import { visitorKey } from '../aggregates/aggregates-sessions.ts'
import { moveCounts, setAsideBy } from './network-aside.ts'
import { decide, type Decision, ordersOf } from './network-decisions.ts'
import { countHours, type Fresh, takeFromHours } from './network-hours.ts'
import { type ArmChange, countArms, type Meeting } from './network-meetings.ts'

/** Visitors who are new to the shop, or to a test, and meetings that count no more. */
type Seen = {
  fresh: readonly Fresh[]
  meetings: readonly Meeting[]
  left: readonly ArmChange[]
}
type Standing = Decision & { until: number }

/** Sets aside whom a standing decision or a rule says. Answers whoever is so now. `unless`: ids of events that are not counted yet. */
export async function judge(
  trx: Trx,
  { fresh, meetings, left }: Seen,
  storeOf: (storeId: string) => AggregatedStore,
  unless: ReadonlySet<string>,
): Promise<Aside['changed']> {
  const changed: Aside['changed'] = []
  const networks = [...fresh, ...meetings, ...left]
  if (networks.length === 0) return changed
  const decisions = await decisionsOn(trx, networks)
  const standing = ({ storeId, network, at }: Pick<Fresh, 'storeId' | 'network' | 'at'>) => {
    const decision = decisions.get(visitorKey(storeId, network))
    return decision && decision.until > at ? decision : undefined
  }
  const move = async (
    storeId: string,
    decisionId: string,
    visitors: readonly string[],
    at: number,
  ) => {
    const moved = await setAsideBy(trx, storeId, decisionId, visitors)
    await moveCounts(trx, storeOf(storeId), moved, true, at, unless)
    for (const visitor of moved) changed.push({ storeId, visitor })
  }

  const coming = new Map<string, { decision: Standing; visitors: Set<string>; at: number }>()
  for (const one of [...fresh, ...meetings]) {
    const decision = standing(one)
    if (decision?.kind !== 'setAside') continue
    const known = coming.get(decision.decision_id)
    if (known) known.visitors.add(one.visitor)
    else
      coming.set(decision.decision_id, { decision, visitors: new Set([one.visitor]), at: one.at })
  }
  // Of whom the shop has not seen before, nothing is counted that would have to be moved.
  const isFresh = new Set(fresh.map(one => visitorKey(one.storeId, one.visitor)))
  for (const { decision, visitors, at } of coming.values()) {
    const { store_id: storeId } = decision
    const moved = await setAsideBy(trx, storeId, decision.decision_id, [...visitors])
    const counted = moved.filter(visitor => !isFresh.has(visitorKey(storeId, visitor)))
    await moveCounts(trx, storeOf(storeId), counted, true, at, unless)
    for (const visitor of moved) changed.push({ storeId, visitor })
  }

  // Also of those whom the other rule has set aside: their orders excuse many visitors, but not one-sided ones.
  const counts = await countArms(
    trx,
    [...meetings.map(one => ({ ...one, by: 1 })), ...left].filter(
      one => !(standing(one)?.kind === 'setAside' && standing(one)?.one_sided),
    ),
    Math.max(...networks.map(({ at }) => at)),
  )
  for (const { storeId, testId, network, at, arms } of counts) {
    const decision = standing({ storeId, network, at })
    if (decision && (decision.decided_by !== 'rule' || decision.one_sided)) continue
    const test = storeOf(storeId).tests.get(testId)
    if (!test || !isOneSided(arms, test.weights)) continue
    const known = await query<{ visitor_id: string }>(
      trx,
      'select visitor_id from network_visitors where store_id = $1 and network = $2',
      [storeId, network],
    )
    const found = {
      storeId,
      network,
      kind: 'setAside',
      by: 'rule',
      at,
      visitors: known.length,
      share: null,
      isOneSided: true,
    } as const
    const decision_id = await decide(trx, found)
    decisions.set(visitorKey(storeId, network), {
      ...{ store_id: storeId, decision_id, network, kind: found.kind, decided_by: found.by },
      one_sided: true,
      until: at + networkRule.kept,
    })
    await move(
      storeId,
      decision_id,
      known.map(row => row.visitor_id),
      at,
    )
    await takeFromHours(trx, storeId, network, 0)
  }

  const counted = fresh.filter(one => standing(one)?.kind !== 'setAside')
  for (const { storeId, network, at, own, all } of await countHours(trx, counted)) {
    const decision = standing({ storeId, network, at })
    // The floor first: it needs nothing that is not at hand.
    if (decision?.kind === 'counted' || !isUnusual({ own, all, usual: 0 })) continue
    const usual = await usualOf(trx, storeId)
    const verdict = judgeNetwork({ own, all, usual, orders: await ordersOf(trx, storeId, network) })
    if (verdict === 'usual' || decision?.kind === verdict) continue
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
    await move(
      storeId,
      id,
      recent.map(row => row.visitor_id),
      at,
    )
    await takeFromHours(trx, storeId, network, hourOf(at) - networkRule.window)
  }
  return changed
}

/** What was decided about these networks, by store and network. */
async function decisionsOn(
  trx: Trx,
  networks: readonly Pick<Fresh, 'storeId' | 'network'>[],
): Promise<Map<string, Standing>> {
  const asked = [
    ...new Map(networks.map(one => [visitorKey(one.storeId, one.network), one])).values(),
  ]
  const found = await query<Standing>(
    trx,
    `
    select d.store_id, d.decision_id, d.network, d.kind, d.decided_by, d.one_sided, extract(epoch from d.until)::float8 * 1000 as until from unnest($1::uuid[], $2::text[]) k(store_id, network),
      lateral (select * from network_decisions d where d.store_id = k.store_id and d.network = k.network offset 0) d`,
    [asked.map(one => one.storeId), asked.map(one => one.network)],
  )
  return new Map(found.map(row => [visitorKey(row.store_id, row.network), row]))
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
