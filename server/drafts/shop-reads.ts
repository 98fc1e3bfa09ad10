import { busyReason, isShopSilent } from '../upstream/api-outcomes.ts'

/**
 * What one page of the editor reads from the shop. The page opens without what the shop does not
 * answer, and says so (decision 054).
 */
export type ShopReads = {
  /** Why the shop left something unanswered, in words; null when it did not. */
  silence: () => string | null
  /** Notes why a call failed. */
  failed: (error: unknown) => void
  /** The answer, or `instead` when only the shop did not answer. Other errors are thrown. */
  orElse: <T, U>(answer: Promise<T>, instead: U) => Promise<T | U>
}

export function shopReads(): ShopReads {
  let silence: string | null = null
  const failed = (error: unknown): void => {
    if (isShopSilent(error)) silence = busyReason(error) ?? 'Your shop does not answer.'
  }
  return {
    silence: () => silence,
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
