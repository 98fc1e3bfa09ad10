import type { Rules } from './core.ts'
import { manualPlace } from './api.ts'
import { channelNameAt } from './channel.ts'
import { audienceRule, entryRule } from './entry.ts'
import { redirectPlace, restorePlace, viewPlace } from './travel.ts'

/** Every rule a script may carry, for simulated shoppers: who they are and which shop they are on is theirs to say. */
export const allRules = (userAgent: () => string, host: string): Rules => ({
  place: (...asked) => {
    for (const place of [redirectPlace, viewPlace, restorePlace, manualPlace]) {
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
