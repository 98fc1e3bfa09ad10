import { isbot } from 'isbot'
import { UAParser } from 'ua-parser-js'
import { type Device, devices, type DeviceIndex } from '../../domain/device.ts'

export type Agent = { device: DeviceIndex; isBot: boolean }

/**
 * The device types of ua-parser-js that we do not count as desktops. For a desktop it returns no
 * type.
 */
const kinds: Record<string, Device> = { mobile: 'phone', wearable: 'phone', tablet: 'tablet' }
const deviceIn = (userAgent: string): DeviceIndex =>
  devices.indexOf(kinds[new UAParser(userAgent).getDevice().type ?? ''] ?? 'desktop') as DeviceIndex

// A cache: shoppers share few user agents, and the long patterns of the two libraries cost more
// than the rest of a beacon.
const known = new Map<string, Agent>()
const knownLimit = 5_000
/** How many characters of the header are read: as many as ua-parser-js reads. */
const longest = 500

/** Device and bot flag of a User-Agent header. A browser always sends one, so none means a bot. */
export function agentOf(header: string | undefined): Agent {
  // The cache must not grow with long headers that a client makes up.
  const userAgent = header?.slice(0, longest)
  if (!userAgent) return { device: 0, isBot: true }
  let agent = known.get(userAgent)
  if (!agent) {
    if (known.size >= knownLimit) known.clear()
    known.set(userAgent, (agent = { device: deviceIn(userAgent), isBot: isbot(userAgent) }))
  }
  return agent
}

/**
 * The visitor's country from the CDN edge's header: two letters, or null if the edge does not know
 * it.
 */
export function countryOf(header: string | string[] | undefined): string | null {
  const code = String(header ?? '').toUpperCase()
  // Edges write XX for an address they cannot place.
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' ? code : null
}
