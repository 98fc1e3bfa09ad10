import type { Platform } from '../platform/adapter.ts'
import type { ScriptLease } from './script-lease.ts'

/**
 * Calls to the shop, each made only after the lease is extended. They throw `PublicationStopped` if
 * the lease is lost or the app leaves the shop.
 */
export const whileOurs = (
  { hold }: ScriptLease,
  platform: Platform,
): Pick<Platform, 'priceRules' | 'setPriceRules' | 'publishScript' | 'publishPixel'> => ({
  priceRules: async (...asked) => {
    await hold()
    return platform.priceRules(...asked)
  },
  setPriceRules: async (...asked) => {
    await hold()
    return platform.setPriceRules(...asked)
  },
  publishScript: async (...asked) => {
    await hold()
    return platform.publishScript(...asked)
  },
  publishPixel: async (...asked) => {
    await hold()
    return platform.publishPixel(...asked)
  },
})
