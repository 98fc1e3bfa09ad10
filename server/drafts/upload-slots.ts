import { HttpProblem } from '../../domain/problem.ts'

/**
 * The most files in memory at a time. Each takes up to four times its size, here and in the engine.
 */
export const uploadSlots = { perStore: 3, inAll: 8 } as const

/**
 * Limits how many uploads are under way. The function it returns takes a slot for a store and
 * returns a function that frees the slot. It throws HttpProblem 429 when no slot is free.
 */
export function uploadPlaces({ perStore, inAll } = uploadSlots): (storeId: string) => () => void {
  const taken = new Map<string, number>()
  let all = 0
  return storeId => {
    const own = taken.get(storeId) ?? 0
    if (own >= perStore || all >= inAll)
      throw new HttpProblem(
        429,
        own >= perStore
          ? 'Other pictures of this store are still being uploaded. Try again when they are done.'
          : 'Many pictures are being uploaded right now. Try again in a few seconds.',
      )
    taken.set(storeId, own + 1)
    all++
    return () => {
      all--
      const left = taken.get(storeId)! - 1
      if (left > 0) taken.set(storeId, left)
      else taken.delete(storeId)
    }
  }
}
