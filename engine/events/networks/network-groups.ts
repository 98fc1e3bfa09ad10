import {
  groupAside,
  type GroupDay,
  groupRule,
  unusualTogether,
  usualShares,
} from '../../../domain/events/network-group.ts'
import { hasOrders, networkRule } from '../../../domain/events/network-rule.ts'
import { rows as query } from '../../db/raw.ts'
import type { Trx } from '../../db/types.ts'
import { ordersOf } from './network-decisions.ts'
import { busiestSince } from './network-hours.ts'

type Unusual = { network: string; visitors: number; share: number }

/**
 * The networks that together brought far more of the shop's new visitors in the last day than is
 * usual, and do not order (domain/events/network-group.ts). None if the shop is as usual.
 */
export async function unusualGroup(trx: Trx, storeId: string, now: number): Promise<Unusual[]> {
  const { all, networks } = await busiestSince(
    trx,
    storeId,
    now - groupRule.window,
    now,
    maxNetworks,
  )
  // Checks without the usual shares first, because that needs no query: no limit is lower.
  if (unusualTogether(countsOf(networks), all, noUsuals) === 0) return []
  const usuals = usualShares(
    await query<GroupDay>(
      trx,
      'select visitors, together, together_ordered as "hasOrdered" from network_days where store_id = $1 and together is not null order by day desc limit $2',
      [storeId, networkRule.days],
    ),
  )
  if (unusualTogether(countsOf(networks), all, usuals) === 0) return []
  const silent: typeof networks = []
  for (const one of networks) {
    const { network, visitors } = one
    const orders = await ordersOf(trx, { storeId, network, visitors, now })
    if (!hasOrders({ visitors, orders })) silent.push(one)
    if (silent.length === groupRule.size) break
  }
  return groupAside(silent.slice(0, unusualTogether(countsOf(silent), all, usuals))).map(one => ({
    ...one,
    share: one.visitors / all,
  }))
}

const countsOf = (networks: readonly { visitors: number }[]) =>
  networks.map(({ visitors }) => visitors)
const noUsuals = Array<number>(groupRule.size).fill(0)
/** How many networks are looked at, to find those that do not order. */
const maxNetworks = 25
