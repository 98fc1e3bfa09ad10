import type { Rules } from './core.ts'
import { manualPlace } from './api.ts'
import { channelNameAt } from './channel.ts'
import { audienceRule, entryRule } from './entry.ts'
import { sentPlace } from './sent.ts'
import { redirectPlace, restorePlace, viewPlace } from './travel.ts'

/**
 * All rules that a script can carry, for simulated shoppers. The caller says which user agent and
 * which shop host they have.
 */
export const allRules = (userAgent: () => string, host: string): Rules => ({
  place: (...asked) => {
    for (const place of [sentPlace, redirectPlace, viewPlace, restorePlace, manualPlace]) {
      const found = place(...asked)
      if (found !== undefined) return found
    }
    return undefined
  },
  mayEnter: entryRule(
    userAgent,
    audienceRule((landing, referrer) => channelNameAt(host, landing, referrer)),
  ),
})
