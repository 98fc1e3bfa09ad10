import { isbot } from 'isbot'

/** Kinds of device a report tells apart. An event row keeps the index, so new ones go to the end. */
export const devices = ['desktop', 'phone', 'tablet'] as const
export type DeviceIndex = 0 | 1 | 2

export type Agent = { device: DeviceIndex; isBot: boolean }

// Shoppers share few user agents, and isbot's one long pattern costs more than the rest of a beacon.
const known = new Map<string, Agent>()
const knownLimit = 5_000

/** Device and bot flag of a User-Agent header. A browser always sends one, so none means a bot. */
export function agentOf(userAgent: string | undefined): Agent {
  if (!userAgent) return { device: 0, isBot: true }
  let agent = known.get(userAgent)
  if (!agent) {
    if (known.size >= knownLimit) known.clear()
    known.set(userAgent, agent = { device: deviceOf(userAgent), isBot: isbot(userAgent) })
  }
  return agent
}

function deviceOf(userAgent: string): DeviceIndex {
  if (/iPad|Tablet|Silk|Kindle|PlayBook|Android(?!.*\bMobile\b)/i.test(userAgent)) return 2
  return /Mobi|iPhone|iPod|Windows Phone/i.test(userAgent) ? 1 : 0
}
