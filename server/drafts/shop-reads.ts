import { isShopSilent } from '../upstream/api-outcomes.ts'

/**
 * What one page of the editor reads from the shop. The page opens without what the shop does not
 * answer, and says so (decision 054).
 */
export type ShopReads = {
  /** Whether the shop left something unanswered. */
  isSilent: () => boolean
  /** Notes why a call failed. */
  failed: (error: unknown) => void
  /** The answer, or `instead` when only the shop did not answer. Other errors are thrown. */
  orElse: <T, U>(answer: Promise<T>, instead: U) => Promise<T | U>
}

export function shopReads(): ShopReads {
  let isSilent = false
  const failed = (error: unknown): void => {
    if (isShopSilent(error)) isSilent = true
  }
  return {
    isSilent: () => isSilent,
    failed,
    orElse: async (answer, instead) => {
      try {
        return await answer
      } catch (error) {
        if (!isShopSilent(error)) throw error
        failed(error)
        return instead
      }
    },
  }
}
