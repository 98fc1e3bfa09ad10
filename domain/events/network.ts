import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../api/call.ts'

export const networkStands = ['counted', 'setAside', 'warned'] as const
export const networkDeciders = ['rule', 'merchant', 'staff'] as const

/**
 * A network that brought new visitors in the last 48 hours. Its id is a keyed hash; the address is
 * not stored.
 */
export const Network = Type.Object({
  id: Type.String(),
  visitors: Type.Integer(),
  /** Its share of all new visitors with a known network. */
  share: Type.Number(),
  orders: Type.Integer(),
  firstSeenAt: Instant,
  lastSeenAt: Instant,
  /** The decision that holds now; null when the network is counted like any other. */
  decision: Maybe(
    Type.Object({
      kind: Type.Enum([...networkStands]),
      by: Type.Enum([...networkDeciders]),
      at: Instant,
      until: Instant,
    }),
  ),
})
export type Network = Type.Static<typeof Network>

const NetworkId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })
export const NetworkParam = Type.Object({ network: NetworkId }, closed)
/** Whether the visitors of a network are counted: both past and future ones. */
export const NetworkChoice = Type.Object({ isCounted: Type.Boolean() }, closed)
export const StoreNetworkChoice = Type.Object(
  { network: NetworkId, isCounted: Type.Boolean() },
  closed,
)

export const isSetAside = ({ decision }: Pick<Network, 'decision'>): boolean =>
  decision?.kind === 'setAside'

/** The state of a network in words, and who decided it. */
export function networkWords({ decision }: Pick<Network, 'decision'>): string {
  if (!decision) return 'Counted'
  if (decision.kind === 'warned') return 'Counted, because it also ordered'
  const who = { rule: 'automatically', merchant: 'in Preferences', staff: 'by Twinshelf support' }[
    decision.by
  ]
  return `${decision.kind === 'setAside' ? 'Set aside' : 'Counted again'} ${who}`
}

/** Shown after the change. */
export const networkDone = (isCounted: boolean): string =>
  isCounted ? 'The network’s visitors are counted again.' : 'The network’s visitors are set aside.'
/** Shown when the network's 48 hours are over. */
export const networkGone = 'That network is no longer known, so nothing was changed.'
