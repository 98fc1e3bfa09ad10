import * as Type from 'typebox'
import { closed, Instant, Maybe } from '../api/call.ts'

export const networkStands = ['counted', 'setAside', 'warned'] as const
export const networkDeciders = ['rule', 'merchant', 'staff'] as const

/** A network that brought new visitors in the last 48 hours. Its id is a keyed hash: nobody keeps the address. */
export const Network = Type.Object({
  id: Type.String(),
  visitors: Type.Integer(),
  /** Of all new visitors whose network is known. */
  share: Type.Number(),
  orders: Type.Integer(),
  firstSeenAt: Instant,
  lastSeenAt: Instant,
  /** What was decided about it and holds; null: it is counted like any other. */
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
/** Whether the visitors of a network are counted, those who came and those who will. */
export const NetworkChoice = Type.Object({ isCounted: Type.Boolean() }, closed)
export const StoreNetworkChoice = Type.Object(
  { network: NetworkId, isCounted: Type.Boolean() },
  closed,
)

export const isSetAside = ({ decision }: Pick<Network, 'decision'>): boolean =>
  decision?.kind === 'setAside'

/** How a network stands, and who said so. */
export function networkWords({ decision }: Pick<Network, 'decision'>): string {
  if (!decision) return 'Counted'
  if (decision.kind === 'warned') return 'Counted, because it also ordered'
  const who = { rule: 'automatically', merchant: 'in Preferences', staff: 'by Twinshelf support' }[
    decision.by
  ]
  return `${decision.kind === 'setAside' ? 'Set aside' : 'Counted again'} ${who}`
}

/** Said once it is done. */
export const networkDone = (isCounted: boolean): string =>
  isCounted ? 'The network’s visitors are counted again.' : 'The network’s visitors are set aside.'
/** Its 48 hours are over. */
export const networkGone = 'That network is no longer known, so nothing was changed.'
