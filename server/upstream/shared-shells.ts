import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import type { ShopAddresses } from '../../domain/platform/shop-addresses.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'

/**
 * The data of the store that every page needs. It is the same object until something in it changes.
 */
export type ShellData = {
  store: StoreInfo
  status: StoreStatus
  plans: Plan[]
  addresses: ShopAddresses
}
/** Data of a store, or a call for it that is under way. `until`: when it must be read again. */
export type Loading = { until: number; data: Promise<ShellData> }
/**
 * What was read for a store since something in it changed last. A change gives the store another
 * place, so that nothing which was asked for before the change is found after it.
 */
export type Place = { loaded: Loading | null }
export type SharedShells = { of: (owner: string) => Place; forget: (owner: string) => void }

/** The most bytes of all places, and bytes of one. Their data is counted in shared-answers.ts. */
const maxBytes = 4 * 1024 * 1024,
  perPlace = 512

/** `owner` is the store that a token names. Nobody has verified that. */
export function sharedShells(): SharedShells {
  const places = keptWithin<Place>(maxBytes)
  const begin = (owner: string): Place => {
    const place = { loaded: null }
    places.set(owner, place, perPlace)
    return place
  }
  return { of: owner => places.get(owner) ?? begin(owner), forget: begin }
}
