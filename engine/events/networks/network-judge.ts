import { visitorKey } from '../fold/sessions.ts'
import type { Aside } from '../fold/states.ts'
import { armsRule, isOneSided, oneSidedTogether } from '../../../domain/events/network-arms.ts'
import { isLook } from '../../../domain/events/network-group.ts'
import {
  hourOf,
  isUnusual,
  judgeNetwork,
  networkRule,
  type NetworkDay,
  usualShare,
} from '../../../domain/events/network-rule.ts'
import { rows as query } from '../../db/raw.ts'
import { askTogether } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { moveCounts, setAsideBy } from './network-aside.ts'
import {
  decide,
  type Deciding,
  type Decision,
  ordersOf,
  type Standing,
} from './network-decisions.ts'
import {
  countHours,
  type Fresh,
  type HourRow,
  hoursOf,
  lastHour,
  readHours,
  takeFromHours,
} from './network-hours.ts'
import { addMove } from './network-moves.ts'
import {
  type ArmChange,
  type ArmsRow,
  armsOf,
  countArms,
  type Meeting,
  type NetworkArms,
} from './network-meetings.ts'
import { unusualGroup } from './network-groups.ts'

/**
 * Visitors who are new to the shop (`fresh`), visitors who are new to a test (`meetings`), and
 * meetings that no longer count (`left`).
 */
type Seen = {
  fresh: readonly Fresh[]
  meetings: readonly Meeting[]
  left: readonly ArmChange[]
}

/**
 * Sets visitors aside, by an earlier decision that still holds or by a rule. Returns the visitors
 * that it set aside. `decisions`: the latest ones about their networks, by `visitorKey`. `unless`:
 * ids of events that are not counted yet.
 */
export async function judge(
  trx: Trx,
  { fresh, meetings, left }: Seen,
  decisions: Map<string, Standing>,
  storeOf: (storeId: string) => AggregatedStore,
  unless: ReadonlySet<string>,
): Promise<Aside['changed']> {
  const changed: Aside['changed'] = []
  const networks = [...fresh, ...meetings, ...left]
  if (networks.length === 0) return changed
  const standing = ({ storeId, network, at }: Pick<Fresh, 'storeId' | 'network' | 'at'>) => {
    const decision = decisions.get(visitorKey(storeId, network))
    return decision && decision.until > at ? decision : undefined
  }
  // Visitors who are new to the shop. Nothing of them is counted yet, so no counts have to be
  // moved.
  const isFresh = new Set(fresh.map(one => visitorKey(one.storeId, one.visitor)))
  /**
   * Sets aside the network's visitors in this batch. A job moves those who came before
   * (network-moves.ts).
   */
  const setComingAside = async (
    { store_id: storeId, decision_id, network }: Decision,
    at: number,
  ): Promise<void> => {
    const coming = [...fresh, ...meetings].filter(
      one => one.storeId === storeId && one.network === network,
    )
    const moved = await setAsideBy(trx, storeId, decision_id, [
      ...new Set(coming.map(({ visitor }) => visitor)),
    ])
    const counted = moved.filter(visitor => !isFresh.has(visitorKey(storeId, visitor)))
    await moveCounts(trx, storeOf(storeId), counted, true, at, unless)
    for (const visitor of moved) changed.push({ storeId, visitor })
  }

  let isTaken = false
  /**
   * Sets a network aside: its visitors of this batch at once, earlier ones by a job. `within`: how
   * far back (milliseconds).
   */
  const setNetworkAside = async (made: Deciding, within: number = networkRule.kept) => {
    const { storeId, network, at } = made
    const decided = await decideBy(trx, made)
    decisions.set(visitorKey(storeId, network), { ...decided, until: at + networkRule.kept })
    await setComingAside(decided, at)
    await addMove(trx, storeId, decided.decision_id, at, at - within)
    await takeFromHours(trx, storeId, network, hourOf(at) - within)
    isTaken = true
  }
  const setOneSidedAside = ({
    arms,
    ...one
  }: Pick<NetworkArms, 'storeId' | 'network' | 'at' | 'arms'>) =>
    setNetworkAside({
      ...one,
      kind: 'setAside',
      by: 'rule',
      visitors: arms[0] + arms[1],
      share: null,
      isOneSided: true,
    })

  const holding = new Map<string, { decision: Standing; at: number }>()
  for (const one of [...fresh, ...meetings]) {
    const decision = standing(one)
    if (decision?.kind === 'setAside') holding.set(decision.decision_id, { decision, at: one.at })
  }
  for (const { decision, at } of holding.values()) await setComingAside(decision, at)

  // Also counts networks that the other rule has set aside: orders can lift that decision, but not
  // one about a one-sided network.
  const notOneSided = [...meetings.map(one => ({ ...one, by: 1 })), ...left].filter(
      one => !(standing(one)?.kind === 'setAside' && standing(one)?.one_sided),
    ),
    { statements, armsIn } = countArms(notOneSided, Math.max(...networks.map(({ at }) => at)))
  const hoursNow = () => hoursOf(fresh.filter(one => standing(one)?.kind !== 'setAside')),
    added = hoursNow()
  const counts = await askTogether<{ arms: ArmsRow; hours: HourRow }>(
    trx,
    [...statements, ...countHours(added)],
    ['arms', 'hours'],
  )
  const doubtful = new Map<string, NetworkArms>()
  for (const one of armsIn(counts.arms)) {
    const { storeId, testId, network, at, arms } = one
    const decision = standing({ storeId, network, at })
    if (decision && (decision.decided_by !== 'rule' || decision.one_sided)) continue
    const test = storeOf(storeId).tests.get(testId)
    if (!test) continue
    if (isOneSided(arms, test.weights)) await setOneSidedAside({ storeId, network, at, arms })
    else if (isOneSided(arms, test.weights, armsRule.doubtful)) doubtful.set(testId, one)
  }
  for (const one of doubtful.values()) {
    const { storeId, testId, at } = one,
      { weights } = storeOf(storeId).tests.get(testId)!
    const { networks, all } = await armsOf(trx, one, weights)
    for (const i of oneSidedTogether(
      networks.map(({ arms }) => arms),
      weights,
      all,
    ))
      await setOneSidedAside({ storeId, ...networks[i]!, at })
  }

  const usuals = new Map<string, number>()
  // What was set aside above was taken from the counts again.
  const { networks: inHour, shops } = isTaken
    ? lastHour(hoursNow(), await readHours(trx, hoursNow()))
    : lastHour(added, counts.hours)
  for (const { storeId, network, at, own, all } of inHour) {
    const decision = standing({ storeId, network, at })
    // Checks the minimum first (`usual: 0`), because it needs no query.
    if (decision?.kind === 'counted' || !isUnusual({ own, all, usual: 0 })) continue
    const usual = usuals.get(storeId) ?? (await usualOf(trx, storeId))
    usuals.set(storeId, usual)
    // Queries the orders last: most of these networks are usual for the shop, and come here with
    // every batch.
    if (!isUnusual({ own, all, usual })) continue
    const orders = await ordersOf(trx, { storeId, network, visitors: own, now: at })
    const verdict = judgeNetwork({ own, all, usual, orders })
    if (verdict === 'usual' || decision?.kind === verdict) continue
    const made = {
      storeId,
      network,
      by: 'rule',
      at,
      visitors: Math.round(own),
      share: own / all,
    } as const
    if (verdict === 'setAside')
      await setNetworkAside({ ...made, kind: verdict }, networkRule.window)
    else await decide(trx, { ...made, kind: verdict })
  }
  for (const { storeId, at, before, after } of shops) {
    if (!isLook(before, after)) continue
    for (const { network, visitors, share } of await unusualGroup(trx, storeId, at))
      await setNetworkAside({ storeId, network, kind: 'setAside', by: 'rule', at, visitors, share })
  }
  return changed
}

async function decideBy(trx: Trx, made: Deciding): Promise<Decision> {
  const { storeId, network, kind, by, isOneSided = false } = made
  const decision_id = await decide(trx, made)
  return { store_id: storeId, decision_id, network, kind, decided_by: by, one_sided: isOneSided }
}

async function usualOf(trx: Trx, storeId: string): Promise<number> {
  return usualShare(
    await query<NetworkDay>(
      trx,
      'select visitors, busiest, has_ordered as "hasOrdered" from network_days where store_id = $1 order by day desc limit $2',
      [storeId, networkRule.days],
    ),
  )
}
